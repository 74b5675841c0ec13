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
    private var checkpoints: CheckpointSchedule
    private let written: WrittenFrames

    /// The bytes of a page.
    let pageSize: Int

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
        written = opened.written
        pageSize = opened.pageSize
        checkpoints = CheckpointSchedule(pageSize: pageSize)
    }

    /// Has SQLite say how long it is, from the next commit on until ``stop(_:)``.
    func start(_ db: Database) throws {
        guard checkpointer != nil else { return }
        WriteAheadLogFile.start(db, written, isWriter: true)
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
        var schedule = checkpoints
        return next(&schedule, isWanted: wantsCheckpoint) != .none
    }

    /// Keeps it short, after a commit.
    /// - Parameter mayFollow: whether the file is about to become shorter still: a checkpoint that is only wanted waits.
    func keepShort(mayFollow: Bool) {
        let isWanted = wantsCheckpoint && !mayFollow
        var action = next(&checkpoints, isWanted: isWanted)
        if action == .wait {
            checkpointer?.wait()
            action = next(&checkpoints, isWanted: isWanted)
        }
        guard action == .beside || action == .here else { return }
        releaseSnapshot()
        if action == .beside {
            checkpointer?.run()
        } else {
            // Readers that are in the way are waited for as long as the connection's busy timeout says.
            database.unsafeReentrantWrite { db in _ = try? db.checkpoint(.restart) }
            checkpointer?.moved = pages
            written.move(frames: pages, pageSize: pageSize)
        }
        wantsCheckpoint = false
    }

    private func next(_ schedule: inout CheckpointSchedule, isWanted: Bool) -> CheckpointSchedule.Action {
        guard let checkpointer else { return .none }
        // In this order: what one that ends meanwhile has moved counts.
        let isRunning = checkpointer.isRunning
        return schedule.next(pages: pages, isRunning: isRunning, moved: checkpointer.moved, isWanted: isWanted)
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
