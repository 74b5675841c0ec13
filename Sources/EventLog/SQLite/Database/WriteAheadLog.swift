internal import GRDB

/// The write-ahead log of the writer's connection, and when it is moved into the database file. Confined to the writer's
/// thread.
final class WriteAheadLog {
    private let database: any DatabaseWriter
    /// Nil if nothing is on disk.
    private let checkpointer: Checkpointer?
    private var checkpoints = CheckpointSchedule()
    private var watch: WriteAheadLogWatch?

    /// Whether a checkpoint is wanted although it has not grown much.
    var wantsCheckpoint = false

    init(_ opened: LogDatabase, _ db: Database) {
        database = opened.connection
        checkpointer = opened.checkpointer
        if checkpointer != nil { watch = WriteAheadLogWatch(db) }
    }

    /// How many pages it has; 0 if there is none.
    var pages: Int { watch?.pages ?? 0 }

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
        case .beside: checkpointer.run()
        case .none, .wait:
            guard wantsCheckpoint, !mayFollow, !checkpointer.isRunning else { return }
            checkpointer.run()
        case .here:
            // Readers that are in the way are waited for as long as the connection's busy timeout says.
            database.unsafeReentrantWrite { db in _ = try? db.checkpoint(.restart) }
        }
        wantsCheckpoint = false
    }

    /// Moves it into the database file, unless a reader is in the way for long, and gives its space back.
    func empty() {
        database.unsafeReentrantWrite { db in
            guard !db.isInsideTransaction, (try? db.checkpoint(.truncate)) != nil else { return }
            watch?.beginAnew()
        }
    }

    /// Must be called before the connection is closed.
    func stop(_ db: Database) {
        watch?.stop(db)
        watch = nil
    }
}
