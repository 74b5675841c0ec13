import Dispatch

extension Delivery {
    /// Runs an asynchronous operation there, and waits for it. `.immediate` runs it in the caller's place.
    func perform(_ operation: @escaping @Sendable () async -> Void) async {
        switch self {
        case .immediate: await operation()
        case .main: await Self.performOnMain(operation)
        case .background: await Self.performInBackground(operation)
        case .queue(let queue):
            await withTaskExecutorPreference(QueueExecutor(queue: queue)) {
                await Self.performInBackground(operation)
            }
        case .actor(let actor): await Self.perform(operation, on: actor)
        }
    }

    // Each of the three asks where it is before it goes on. Without something synchronous to do there Swift 6.3 leaves the
    // change of place out, for it takes the operation, which runs in the place of its caller, for one that changes itself.

    @MainActor private static func performOnMain(_ operation: @Sendable () async -> Void) async {
        MainActor.preconditionIsolated()
        await operation()
    }

    /// On the task's preferred executor, if it has one, else on the pool.
    @concurrent private static func performInBackground(_ operation: @Sendable () async -> Void) async {
        unsafe withUnsafeCurrentTask { _ in }
        await operation()
    }

    private static func perform(_ operation: @Sendable () async -> Void, on actor: isolated any Actor) async {
        actor.preconditionIsolated()
        await operation()
    }
}

/// Runs the jobs of a task on a dispatch queue.
private final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
