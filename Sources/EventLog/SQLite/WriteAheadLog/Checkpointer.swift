import Dispatch
internal import GRDB
internal import GRDBSQLite
import Posix
import Synchronization

/// Makes checkpoints beside the writer (``CheckpointSchedule``), on a connection of its own: those of readers cannot
/// write, and the writer's is busy.
///
/// On a thread of its own, too, which comes after all others where processors are few: a checkpoint moves 16 MiB.
final class Checkpointer: Sendable {
    private let connection: DatabaseQueue
    private let written: WrittenFrames
    private let pageSize: Int
    private let running = Atomic(false)
    private let movedPages = Atomic(0)
    /// Entered while a checkpoint is under way, for whoever waits for it.
    private let underWay = DispatchGroup()

    /// What it takes less of a processor than others, where they compete (nice(2)); it still gets a tenth.
    private static let niceness: Int32 = 10

    /// - Parameter written: what the log's writer has written.
    init(path: String, _ written: WrittenFrames) throws {
        var configuration = Configuration()
        configuration.label = "clarion-checkpoint"
        connection = try DatabaseQueue(path: path, configuration: configuration)
        self.written = written
        pageSize = try connection.writeWithoutTransaction { db in
            // SQLite opens the write-ahead log when it reads for the first time.
            _ = try db.number("PRAGMA schema_version")
            WriteAheadLogFile.start(db, written)
            return Int(try db.number("PRAGMA page_size"))
        }
    }

    /// Leaves it to the system when what is moved reaches the disk. To be called before the first checkpoint.
    func leaveDiskAlone() throws {
        try connection.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = OFF") }
    }

    /// How many pages the write-ahead log had at the last checkpoint that are moved. The writer sets it where it makes one.
    var moved: Int {
        get { movedPages.load(ordering: .acquiring) }
        set { movedPages.store(newValue, ordering: .releasing) }
    }

    var isRunning: Bool { running.load(ordering: .acquiring) }

    /// Begins a checkpoint and returns. None may be under way.
    func run() {
        running.store(true, ordering: .releasing)
        underWay.enter()
        // What fails, also for want of a thread, is left in the log, and moved by a later one.
        let thread = try? Thread(name: "checkpoint", niceness: Self.niceness) { [self] in
            connection.writeWithoutTransaction { db in
                if let log = try? db.checkpoint(.passive) {
                    moved = log.checkpointedFrameCount
                    written.move(frames: moved, pageSize: pageSize)
                }
                // 0 is `OFF`.
                if (try? db.number("PRAGMA synchronous")) != 0 { Self.waitForDisk(db) }
            }
            end()
        }
        if thread == nil { end() }
    }

    private func end() {
        running.store(false, ordering: .releasing)
        underWay.leave()
    }

    func wait() { underWay.wait() }

    /// Waits for the checkpoint under way, and closes the connection. May be called once, and nothing run after it.
    func close() {
        underWay.wait()
        try? connection.close()
    }

    /// Has what was moved into the database file reach the disk. SQLite leaves that to the checkpoint that moves the last
    /// page (<https://www.sqlite.org/wal.html#ckpt>); done here, the writer that makes it waits for little.
    private static func waitForDisk(_ db: Database) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        unsafe sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard let file = unsafe file, let methods = unsafe file.pointee.pMethods else { return }
        _ = unsafe methods.pointee.xSync?(file, SQLITE_SYNC_NORMAL)
    }
}
