internal import GRDB

/// Writes groups of requests, each group in one transaction.
///
/// What it holds in memory (the next position, numbers of topics, observers) is what the tables say; a transaction that
/// fails puts it back.
///
/// `@unchecked Sendable`: made by the thread that opens the log, then handed to the sequencer's thread and used only
/// there, inside an access to the database.
final class LogWriter: @unchecked Sendable {
    /// What one transaction committed.
    struct CommittedGroup {
        /// The events of all posts, in sequence order.
        var events: [Event] = []
        /// For each change of the group, in order: what to call, or why only this one failed.
        var changes: [Result<@Sendable () -> Void, EventLogError>] = []
    }

    let epoch: LogEpoch
    let clock: @Sendable () -> Timestamp

    /// Nil once the log is closing: the statements must end before the connection does.
    private(set) var statements: WriterStatements?

    /// The position of the newest event written, committed or not.
    var tail: Int64
    /// The id of the newest delivery written. Never used twice while the log is open, so that a late outcome cannot hit
    /// another delivery.
    var lastDelivery: Int64
    var topics: TopicNumbers
    var observers = ObserverRegistry()
    /// Observers with deliveries that this transaction added and their counters do not show yet.
    var uncounted: [RegisteredObserver] = []

    private let database: any DatabaseWriter
    private let checkpointer: Checkpointer?
    private var checkpoints = CheckpointSchedule()
    private var writeAheadLog: WriteAheadLogWatch?
    private var time = Timestamp.earliest
    private var observersAreStale = true

    /// How far, in milliseconds, the system's clock may be set back without the log's time following it.
    private static let heldStep: Int64 = 60_000

    init(_ opened: LogDatabase, limits: SQLiteEventLog.Limits, clock: @escaping @Sendable () -> Timestamp) throws {
        database = opened.connection
        checkpointer = opened.checkpointer
        self.clock = clock
        topics = TopicNumbers(capacity: limits.cachedTopics)
        let state = try database.writeWithoutTransaction { db in
            guard let text = try String.fetchOne(db, sql: "SELECT epoch FROM log"), let epoch = LogEpoch(text) else {
                throw EventLogError(code: EventLogError.corrupt, message: "The log does not say who it is.")
            }
            let tail = try EventReader.tail(db)
            let time = try Int64.fetchOne(db, sql: "SELECT time FROM event ORDER BY seq DESC LIMIT 1")
            let lastDelivery = try Int64.fetchOne(db, sql: "SELECT max(id) FROM delivery") ?? 0
            return (epoch, tail, time, lastDelivery)
        }
        epoch = state.0
        tail = state.1
        time = state.2.map(Timestamp.init(milliseconds:)) ?? .earliest
        lastDelivery = state.3
        try database.writeWithoutTransaction { db in
            // What a deletion left behind that a crash cut short.
            while try purgeDeliveries(db) {}
            statements = try WriterStatements(db)
            if checkpointer != nil { writeAheadLog = WriteAheadLogWatch(db) }
        }
    }

    /// Commits a group: every post of it or none, and every change of it that does not fail by itself.
    func commit(_ group: [WriteRequest]) -> Result<CommittedGroup, EventLogError> {
        database.writeWithoutTransaction { db in
            let before = tail
            do {
                return .success(try write(group, db))
            } catch {
                // After some failures SQLite has rolled back by itself (https://www.sqlite.org/lang_transaction.html).
                if db.isInsideTransaction { try? statements?.rollback.run() }
                tail = before
                topics.forgetAll()
                uncounted = []
                observersAreStale = true
                return .failure(EventLogError(sqlite: error))
            }
        }
    }

    /// Does what need not be done before a commit is acknowledged.
    func tidy() {
        guard let checkpointer, let pages = writeAheadLog?.pages else { return }
        switch checkpoints.next(pages: pages, isRunning: checkpointer.isRunning) {
        case .none: break
        case .beside: checkpointer.run()
        case .here:
            // Readers that are in the way are waited for as long as the connection's busy timeout says.
            database.writeWithoutTransaction { db in _ = try? db.checkpoint(.restart) }
        }
    }

    /// Lets go of what would keep the connection from closing.
    func finish() {
        database.writeWithoutTransaction { db in
            statements = nil
            writeAheadLog?.stop(db)
            writeAheadLog = nil
        }
    }

    /// The time of the events that are being written: the clock's, but not before that of the event before, unless the
    /// clock was set back for good. So a time can be looked up in the sequence, and small corrections do not matter.
    func nextTime() -> Timestamp {
        let now = clock()
        if now >= time || time.milliseconds - now.milliseconds > LogWriter.heldStep { time = now }
        return time
    }

    private func write(_ group: [WriteRequest], _ db: Database) throws -> CommittedGroup {
        guard let statements else { throw EventLogError.isClosed }
        if observersAreStale {
            observers = try ObserverRegistry(db)
            observersAreStale = false
        }
        var committed = CommittedGroup()
        committed.events.reserveCapacity(group.reduce(0) { $0 + $1.events })
        try statements.begin.run()
        let time = nextTime()
        for request in group {
            switch request {
            case .append(let drafts, _):
                for draft in drafts { committed.events.append(try insert(draft, at: time, statements)) }
            case .change(let change):
                committed.changes.append(try perform(change, db, statements))
            }
        }
        try countDeliveries(statements)
        try statements.commit.run()
        return committed
    }

    /// Runs a change in a savepoint. Throws only what fails the whole transaction.
    private func perform(
        _ change: LogChange,
        _ db: Database,
        _ statements: WriterStatements
    ) throws -> Result<@Sendable () -> Void, EventLogError> {
        try statements.savepoint.run()
        do {
            let announce = try change.perform(self, db)
            try statements.release.run()
            return .success(announce)
        } catch {
            guard db.isInsideTransaction, EventLogError(sqlite: error).failsOnlyItself else { throw error }
            try statements.rollbackToSavepoint.run()
            try statements.release.run()
            return .failure(EventLogError(sqlite: error))
        }
    }
}

extension EventLogError {
    /// Whether the transaction can go on: the fault is with what was to be written, not with the storage, which would
    /// only fail again at the commit.
    fileprivate var failsOnlyItself: Bool {
        switch (cause as? DatabaseError)?.resultCode {
        case nil, .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH: true
        default: false
        }
    }
}
