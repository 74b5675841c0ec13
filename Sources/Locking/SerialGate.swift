/// Lets one asynchronous operation through at a time, in order of arrival.
///
/// An actor would not do: it takes the next call as soon as the present one awaits.
public final class SerialGate: Sendable {
    private typealias Turn = CheckedContinuation<Void, Never>

    private struct State {
        var isBusy = false
        var waiting: [Turn] = []
        /// Those of low priority.
        var waitingLow: [Turn] = []
        /// How many have gone before the first of low priority since it was at the head.
        var overtaking = 0

        mutating func next() -> Turn? {
            if !waitingLow.isEmpty, waiting.isEmpty || overtaking == SerialGate.mostOvertaking {
                overtaking = 0
                return waitingLow.removeFirst()
            }
            guard !waiting.isEmpty else {
                isBusy = false
                return nil
            }
            if !waitingLow.isEmpty { overtaking += 1 }
            return waiting.removeFirst()
        }
    }

    /// How many operations that came later go before one of low priority: it waits longer, but not for ever.
    static let mostOvertaking = 8

    private let state = Lock(State())

    /// A free one.
    public init() {}

    /// Whether an operation is under way.
    var isBusy: Bool { state.withLock { $0.isBusy } }

    /// How many operations wait for their turn.
    var waitingCount: Int { state.withLock { $0.waiting.count + $0.waitingLow.count } }

    /// Runs the operation when all earlier ones have ended.
    ///
    /// - Parameter isLow: whether others go first, also those that come later, up to ``mostOvertaking``. It is for one step of
    ///   something long. Those of low priority keep the order of their arrival.
    public func run<Result, Failure: Error>(
        isLow: Bool = false,
        _ operation: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        await enter(isLow: isLow)
        defer { leave() }
        return try await operation()
    }

    private func enter(isLow: Bool) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.isBusy else {
                    state.isBusy = true
                    return true
                }
                if isLow { state.waitingLow.append(continuation) } else { state.waiting.append(continuation) }
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        state.withLock { $0.next() }?.resume()
    }
}
