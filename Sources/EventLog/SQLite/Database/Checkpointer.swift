internal import GRDB
import Synchronization

/// Makes checkpoints beside the writer (``CheckpointSchedule``), on a connection of its own: those of readers cannot
/// write, and the writer's is busy.
final class Checkpointer: Sendable {
    private let connection: DatabaseQueue
    private let running = Atomic(false)

    init(path: String) throws {
        var configuration = Configuration()
        configuration.label = "clarion-checkpoint"
        connection = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Whether a checkpoint is under way.
    var isRunning: Bool { running.load(ordering: .acquiring) }

    /// Begins a checkpoint and returns. None may be under way.
    func run() {
        running.store(true, ordering: .releasing)
        connection.asyncWriteWithoutTransaction { [self] db in
            // What fails (the disk is full, say) is left in the log, and moved by a later one.
            _ = try? db.checkpoint(.passive)
            running.store(false, ordering: .releasing)
        }
    }

    /// Waits for the checkpoint under way, and closes the connection.
    func close() {
        try? connection.close()
    }
}
