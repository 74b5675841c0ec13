internal import GRDB
internal import GRDBSQLite
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
            Self.waitForDisk(db)
            running.store(false, ordering: .releasing)
        }
    }

    /// Has what was moved into the database file reach the disk. SQLite leaves that to the checkpoint that moves the last
    /// page (<https://www.sqlite.org/wal.html#ckpt>); done here, the writer that makes it waits for little.
    private static func waitForDisk(_ db: Database) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        unsafe sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard let file = unsafe file, let methods = unsafe file.pointee.pMethods else { return }
        _ = unsafe methods.pointee.xSync?(file, SQLITE_SYNC_NORMAL)
    }

    /// Waits for the checkpoint under way, and closes the connection.
    func close() {
        try? connection.close()
    }
}
