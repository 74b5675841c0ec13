import Locking
import MicroHTTP
import Synchronization

/// Runs asynchronous work that requests and streams start, as children of one task group: at shutdown none of it is
/// left behind.
final class BackgroundWork: Sendable {
    private typealias Operation = @Sendable () async -> Void

    private let operations: AsyncStream<Operation>
    private let feed: AsyncStream<Operation>.Continuation
    private let running = Lock<Task<Void, Never>?>(nil)
    private let isOver = Atomic<Bool>(true)

    init() {
        (operations, feed) = AsyncStream.makeStream()
    }

    /// Starts an operation; ignored once it is told to stop.
    ///
    /// - Returns: whether it is run.
    @discardableResult
    func start(_ operation: @escaping @Sendable () async -> Void) -> Bool {
        if case .terminated = feed.yield(operation) { false } else { true }
    }

    /// Starts what answers a request; one that comes too late is told so.
    func start(for responder: Responder, _ operation: @escaping @Sendable () async -> Void) {
        if !start(operation) { responder.respond(Problem.draining) }
    }

    /// Begins to run what is started.
    func begin() {
        isOver.store(false, ordering: .relaxed)
        let task = Task { await self.run() }
        running.withLock { $0 = task }
    }

    /// Takes no more operations, and returns when all have ended, or when they were given their time.
    ///
    /// - Parameter grace: how long they may take; those that have not ended by then are cancelled, and given a second
    ///   more.
    /// - Returns: whether all have ended.
    func stop(within grace: Duration) async -> Bool {
        feed.finish()
        let deadline = ContinuousClock.now + grace
        if await hasEnded(by: deadline) { return true }
        running.withLock { $0 }?.cancel()
        return await hasEnded(by: deadline + .seconds(1))
    }

    private func run() async {
        await withDiscardingTaskGroup { group in
            for await operation in operations {
                group.addTask { await operation() }
            }
        }
        isOver.store(true, ordering: .releasing)
    }

    /// Waits with a deadline: a task's value can only be awaited without one.
    private func hasEnded(by deadline: ContinuousClock.Instant) async -> Bool {
        while !isOver.load(ordering: .acquiring) {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return true
    }
}
