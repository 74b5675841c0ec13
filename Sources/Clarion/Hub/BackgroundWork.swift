/// Runs asynchronous work that requests and streams start, as children of one task group: at shutdown none of it is
/// left behind.
final class BackgroundWork: Sendable {
    private typealias Operation = @Sendable () async -> Void

    private let operations: AsyncStream<Operation>
    private let feed: AsyncStream<Operation>.Continuation

    init() {
        (operations, feed) = AsyncStream.makeStream()
    }

    /// Starts an operation; ignored after ``finish()``.
    func start(_ operation: @escaping @Sendable () async -> Void) {
        feed.yield(operation)
    }

    /// Runs what is started until ``finish()``, and returns when all of it has ended.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await operation in operations {
                group.addTask { await operation() }
            }
        }
    }

    /// Takes no more operations.
    func finish() {
        feed.finish()
    }
}
