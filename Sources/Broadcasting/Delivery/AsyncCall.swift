import Locking

/// One asynchronous call of an observer, which somebody waits for.
///
/// It has a task of its own, so that who waits can leave a call that has not begun: its task may sit in a queue that is
/// suspended.
final class AsyncCall: Sendable {
    private enum State {
        /// For its turn. The continuation is that of the call's task.
        case waiting(CheckedContinuation<Bool, Never>?)
        /// It has its turn; on its way to where it runs.
        case called(then: @Sendable () -> Void)
        case running(then: @Sendable () -> Void)
        case over
    }

    private struct Progress {
        var state = State.waiting(nil)
        var task: Task<Void, Never>?
        var whoWaits: CheckedContinuation<Void, Never>?
    }

    /// The call whose task this is, or a task that it began.
    @TaskLocal private static var current: AsyncCall?

    private let progress = Lock(Progress())

    /// Begins a call, after those that were posted to the observer before.
    ///
    /// - Parameters:
    ///   - strand: the observer's; `nil` if it is called at once.
    ///   - delivery: where the call runs.
    ///   - prepare: returns what is to be done, `nil` if the observer has gone meanwhile. Called there.
    init(
        in strand: Strand?,
        at delivery: Delivery,
        _ prepare: @escaping @Sendable () -> (@Sendable () async -> Void)?
    ) {
        let hasTurn = strand?.post(self, isNested: Self.current?.isRunning ?? false) ?? false
        if !hasTurn { _ = take {} }
        let task = Task {
            guard await self.isTaken() else { return }
            await delivery.perform {
                guard self.start() else { return }
                if let call = prepare() { await Self.$current.withValue(self, operation: call) }
                self.end()
            }
        }
        progress.withLock { if case .over = $0.state {} else { $0.task = task } }
    }

    /// Waits until the call is over, or cancelled before it has begun.
    func finished() async {
        await withCheckedContinuation { continuation in
            let isOver = progress.withLock { progress in
                if case .over = progress.state { return true }
                progress.whoWaits = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Takes a call back that has not begun, and cancels the task of one that has.
    func cancel() {
        let (state, task) = progress.withLock { progress in
            if case .running = progress.state { return (State.over, progress.task) }
            defer { progress.state = .over }
            return (progress.state, nil)
        }
        task?.cancel()
        switch state {
        case .waiting(let arrival): arrival?.resume(returning: false)
        case .called(let then): then()
        case .running, .over: return
        }
        leave()
    }

    /// Gives it its turn.
    ///
    /// - Parameter then: called when it is over, from anywhere.
    /// - Returns: `false` if it has been taken back.
    func take(then: @escaping @Sendable () -> Void) -> Bool {
        let arrival: CheckedContinuation<Bool, Never>?? = progress.withLock { progress in
            guard case .waiting(let arrival) = progress.state else { return nil }
            progress.state = .called(then: then)
            return .some(arrival)
        }
        guard let arrival else { return false }
        arrival?.resume(returning: true)
        return true
    }

    /// Waits for the turn.
    private func isTaken() async -> Bool {
        await withCheckedContinuation { continuation in
            let isTaken: Bool? = progress.withLock { progress in
                switch progress.state {
                case .waiting:
                    progress.state = .waiting(continuation)
                    return nil
                case .over: return false
                case .called, .running: return true
                }
            }
            if let isTaken { continuation.resume(returning: isTaken) }
        }
    }

    private var isRunning: Bool {
        progress.withLock { if case .running = $0.state { true } else { false } }
    }

    private func start() -> Bool {
        progress.withLock { progress in
            guard case .called(let then) = progress.state else { return false }
            progress.state = .running(then: then)
            return true
        }
    }

    private func end() {
        let state = progress.withLock { progress in
            defer { progress.state = .over }
            return progress.state
        }
        if case .running(let then) = state { then() }
        leave()
    }

    private func leave() {
        let whoWaits = progress.withLock { progress in
            progress.task = nil
            defer { progress.whoWaits = nil }
            return progress.whoWaits
        }
        whoWaits?.resume()
    }
}
