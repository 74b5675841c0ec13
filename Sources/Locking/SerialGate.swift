/// Lets one asynchronous operation through at a time, in order of arrival.
///
/// An actor would not do: it takes the next call as soon as the present one awaits.
public final class SerialGate: Sendable {
    private struct State {
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    /// A free one.
    public init() {}

    /// Runs the operation when all earlier ones have ended.
    public func run<Result, Failure: Error>(_ operation: () async throws(Failure) -> Result) async throws(Failure)
        -> Result
    {
        await enter()
        defer { leave() }
        return try await operation()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.isBusy else {
                    state.isBusy = true
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.isBusy = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
