internal import GRDB
internal import GRDBSQLite

/// The tables of the log as the writer has them: parts, each of which owns its statements and what it knows of its rows by heart.
///
/// Transactions, and parts of them, begin and end here alone: what they change in memory goes with them. So parts can
/// `goBack(to:)` a moment of the transaction, and are told of its `commit()`. Confined to the writer's thread, and to end before
/// the connection does.
final class LogTables {
    let db: Database
    let time: TimeWriter
    let topics: TopicWriter
    let keys: IdempotencyWriter
    let events: EventWriter
    let observers: ObserverWriter
    let deliveries: DeliveryWriter
    let diskSpace: DiskSpace
    /// Nil where nobody wants to know.
    let removed: RemovedEvents?

    /// What is to be removed, and when. A note too many does no harm; maintenance that fails puts back what it took out.
    var schedule: MaintenanceSchedule

    /// What the last commit left.
    let usage = LogUsage()
    private let durability: Durability
    /// Whether commits wait for the disk now, where durability asks for it.
    private var waitsForDisk = true
    /// Whether the tables may say how much they hold: it is true only while the log is closed.
    private var mayBeNoted = true

    private let begin: PreparedStatement
    private let commit: PreparedStatement
    private let rollback: PreparedStatement

    init(
        _ db: Database,
        of opened: LogDatabase,
        limits: SQLiteEventLog.Limits,
        removed: RemovedEvents?,
        clock: @escaping @Sendable () -> Timestamp,
        elapsed: @escaping @Sendable () -> Duration
    ) throws {
        try LogBounds.check(db)
        (self.db, self.removed) = (db, removed)
        durability = opened.durability
        diskSpace = try DiskSpace(opened.reserve, limit: limits.storageBytes, WriteAheadLog(opened))
        schedule = MaintenanceSchedule(defaults: limits.retention)
        time = try TimeWriter(db, clock, elapsed)
        topics = try TopicWriter(db, limits)
        keys = try IdempotencyWriter(db, limit: limits.idempotencyKeys)
        events = try EventWriter(db, time, topics, keys, age: limits.retention.age)
        observers = try ObserverWriter(db, limits, events)
        deliveries = try DeliveryWriter(db, observers, time)
        // The write lock is taken at once, so that no later statement can find it taken.
        begin = try db.compiled("BEGIN IMMEDIATE")
        commit = try db.compiled("COMMIT")
        rollback = try db.compiled("ROLLBACK")
        // Nobody observes the database by GRDB, which would look at each commit.
        unsafe _ = sqlite3_commit_hook(db.sqliteConnection, nil, nil)
        keep()
        // Last: whoever has not come into being cannot be called.
        try diskSpace.writeAheadLog.start(db)
    }

    /// Runs a body in a transaction. If it throws, or the commit fails, the tables and what is known of them are what they were.
    /// - Parameter isAwaited: whether the commit waits for the disk, if durability asks for it.
    func transaction(awaitingDisk isAwaited: Bool, _ body: () throws -> Void) throws(EventLogError) {
        let start = mark
        var isWhole = false
        do {
            try waitForDisk(isAwaited)
            try beginTransaction()
            if mayBeNoted { try db.run("UPDATE log SET held_topics = NULL, held_keys = NULL") }
            try body()
            isWhole = true
            try commit.run()
            mayBeNoted = false
            keep()
        } catch {
            let failure = EventLogError(sqlite: error)
            // After some failures SQLite has rolled back by itself (https://www.sqlite.org/lang_transaction.html).
            if db.isInsideTransaction { try? rollback.run() }
            diskSpace.writeAheadLog.releaseSnapshot()
            goBack(to: start)
            if isWhole { overwrite() }
            throw failure
        }
    }

    private func beginTransaction() throws {
        let log = diskSpace.writeAheadLog
        do {
            try begin.run()
        } catch {
            // Another program has written since, or is about to, which SQLite waits for where no snapshot is held.
            guard log.holdsSnapshot else { throw error }
            log.releaseSnapshot()
            try begin.run()
        }
        try log.holdSnapshot()
    }

    /// Runs a body in a savepoint. If what it throws is its own fault alone, the tables and what is known of them are what they
    /// were before it, and the transaction goes on.
    /// - Throws: what fails the whole transaction.
    func savepoint<Value>(_ body: () throws -> Value) throws -> Result<Value, EventLogError> {
        try db.run("SAVEPOINT change")
        let start = mark
        do {
            let value = try body()
            try db.run("RELEASE change")
            return .success(value)
        } catch {
            guard db.isInsideTransaction, EventLogError(sqlite: error).failsOnlyItself else { throw error }
            try db.run("ROLLBACK TO change")
            try db.run("RELEASE change")
            goBack(to: start)
            return .failure(EventLogError(sqlite: error))
        }
    }

    /// Brings the topics' counters up to all that was added.
    func countEvents() throws { try topics.countEvents(through: events.tail, noting: &schedule.retention) }

    /// Writes what need not be written as long as the log is open, for whoever looks at the file with other tools.
    func noteAll() throws {
        try countEvents()
        _ = time.begin()
        try time.noteReading()
        try db.run("UPDATE log SET held_topics = ?1, held_keys = ?2", topics.countOfAll(), keys.quota.count)
    }

    /// What is known of the rows at one moment. Nothing of this can fail.
    private typealias Mark = (
        time: (last: Timestamp, placed: Timestamp?), topics: (count: Int, changes: Int), keys: Int, events: Int64,
        observers: Int, removed: Int?
    )

    private var mark: Mark {
        (time.mark, topics.mark, keys.quota.count, events.tail, observers.mark, removed?.mark)
    }

    private func goBack(to mark: Mark) {
        time.goBack(to: mark.time)
        topics.goBack(to: mark.topics)
        keys.goBack(to: mark.keys)
        events.goBack(to: mark.events)
        observers.goBack(to: mark.observers)
        if let place = mark.removed { removed?.goBack(to: place) }
    }

    private func keep() {
        topics.commit()
        observers.commit()
        removed?.commit()
        usage.set(topics: topics.quota.count, keys: keys.quota.count)
    }

    /// A commit that failed may be in the write-ahead log as a whole, if it was the wait for the disk that failed, or what
    /// comes after. Nobody sees it, but whoever opens the log after a crash would. What is written next takes its place.
    private func overwrite() {
        do {
            try begin.run()
            try db.execute(sql: "UPDATE log SET revision = revision + 1")
            try commit.run()
        } catch {
            if db.isInsideTransaction { try? rollback.run() }
        }
    }

    private func waitForDisk(_ isAwaited: Bool) throws {
        guard durability == .disk, isAwaited != waitsForDisk else { return }
        try db.execute(sql: "PRAGMA synchronous = \(isAwaited ? "FULL" : "NORMAL")")
        waitsForDisk = isAwaited
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
