internal import GRDB
internal import GRDBSQLite

/// The write-ahead log of the writer's connection, and when it is moved into the database file. Confined to the writer's
/// thread.
///
/// SQLite says after each commit how long it is (<https://www.sqlite.org/c3ref/wal_hook.html>), and makes no checkpoints by
/// itself while it does.
final class WriteAheadLog {
    private let database: any DatabaseWriter
    /// Nil if nothing is on disk.
    private let checkpointer: Checkpointer?
    private var checkpoints = CheckpointSchedule()

    /// Reads a row, and holds its snapshot until it is reset.
    private var reader: PreparedStatement?

    /// Whether the writer's connection has a snapshot also between transactions.
    private(set) var holdsSnapshot = false

    /// How many pages it has after the last commit, those among them that a checkpoint has copied already; 0 if there is none.
    private(set) var pages = 0

    /// Whether a checkpoint is wanted although it has not grown much.
    var wantsCheckpoint = false

    init(_ opened: LogDatabase) {
        database = opened.connection
        checkpointer = opened.checkpointer
    }

    /// Has SQLite say how long it is, from the next commit on until ``stop(_:)``.
    func start(_ db: Database) throws {
        guard checkpointer != nil else { return }
        reader = try db.compiled("SELECT 1 FROM log")
        // `unsafe`: SQLite calls with this object during a commit on the connection only, and no more after ``stop(_:)``, which
        // must come before this object ends.
        unsafe _ = sqlite3_wal_hook(
            db.sqliteConnection,
            { log, _, _, pages in
                guard let log = unsafe log else { return SQLITE_OK }
                unsafe Unmanaged<WriteAheadLog>.fromOpaque(log).takeUnretainedValue().pages = Int(pages)
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Has the snapshot of the transaction under way outlast it: to take another, SQLite would lock and unlock parts of the file
    /// four times. Not while a checkpoint runs: it comes no further than the oldest snapshot, and the log begins anew only where
    /// nobody has one.
    func holdSnapshot() throws {
        guard let checkpointer, !holdsSnapshot, !checkpointer.isRunning else { return }
        holdsSnapshot = try reader?.step() ?? false
    }

    /// Has the next transaction take a snapshot anew.
    func releaseSnapshot() {
        reader?.reset()
        holdsSnapshot = false
    }

    /// Whether ``keepShort(mayFollow:)`` has something to do.
    var isLong: Bool {
        checkpointer.map { wantsCheckpoint || checkpoints.isDue(pages: pages, isRunning: $0.isRunning) } ?? false
    }

    /// Keeps it short, after a commit.
    /// - Parameter mayFollow: whether the file is about to become shorter still: a checkpoint that is only wanted waits.
    func keepShort(mayFollow: Bool) {
        guard let checkpointer else { return }
        var action = checkpoints.next(pages: pages, isRunning: checkpointer.isRunning)
        if action == .wait {
            checkpointer.wait()
            action = checkpoints.next(pages: pages, isRunning: false)
        }
        switch action {
        case .beside: run(checkpointer)
        case .none, .wait:
            guard wantsCheckpoint, !mayFollow, !checkpointer.isRunning else { return }
            run(checkpointer)
        case .here:
            releaseSnapshot()
            // Readers that are in the way are waited for as long as the connection's busy timeout says.
            database.unsafeReentrantWrite { db in _ = try? db.checkpoint(.restart) }
        }
        wantsCheckpoint = false
    }

    private func run(_ checkpointer: Checkpointer) {
        releaseSnapshot()
        checkpointer.run()
    }

    /// Moves it into the database file, unless a reader is in the way for long, and gives its space back.
    func empty() {
        releaseSnapshot()
        database.unsafeReentrantWrite { db in
            guard !db.isInsideTransaction, (try? db.checkpoint(.truncate)) != nil else { return }
            // Which SQLite does not say.
            pages = 0
        }
    }

    /// Must be called before the connection is closed.
    func stop(_ db: Database) {
        reader = nil
        unsafe _ = sqlite3_wal_hook(db.sqliteConnection, nil, nil)
    }
}
