internal import GRDB
internal import Locking

/// The log of one machine: a SQLite database in a directory, or in memory.
///
/// Writing goes through one thread that commits in groups (``Sequencer``); reading goes on beside it, each page from a
/// snapshot of its own, and does not hold it up (in memory, where there is one connection only, for the time of a page).
///
/// ```swift
/// let log = try SQLiteEventLog(at: .directory("/var/lib/clarion"), durability: .disk)
/// log.follow { commit in … }
/// let draft = EventDraft(topic: try Topic("greetings"), data: Array("hello".utf8))
/// let events = try await log.append([draft]).events
/// await log.close()
/// ```
///
/// A log that is dropped without ``close()`` still writes what waits, and then closes itself.
public final class SQLiteEventLog: EventLog {
    /// The identity of this log.
    public let epoch: LogEpoch

    let limits: Limits
    let sequencer: Sequencer
    private let database: any DatabaseReader
    private let place: LogPlace?
    private let reads = ReadGate()
    private let slices = SerialGate()
    private let longChanges = SerialGate()
    private let backlogs = CountedBacklogs()
    /// When a probe has last begun to write and did so.
    private let probed = Lock<ContinuousClock.Instant?>(nil)
    let horizons: RemovalHorizons
    let time: LogClock

    /// What a copy has removed; nil for a log of its own.
    package let removed: RemovedEvents?

    /// How much it holds of what is bounded.
    let usage: LogUsage

    /// Opens a log, or makes one.
    /// - Parameters:
    ///   - storage: where it is kept.
    ///   - durability: what an acknowledged event survives.
    ///   - limits: what it bounds.
    ///   - epoch: the identity of the sequence that it is a copy of, where there is nothing yet; nil for a log of its own.
    ///   - clock: what stamps the events; the system's clock by default.
    ///   - elapsed: how long some fixed moment ago is, by a clock that does not step; the system's by default. What is to
    ///     last is measured by it.
    /// - Throws: ``EventLogError`` with code `log-locked` if another log has the directory open, `log-foreign` or
    ///   `log-corrupt` if there is a file that is no log or damaged (it is left as it is), `log-unwritable`, `log-failed`.
    public init(
        at storage: Storage,
        durability: Durability = .disk,
        limits: Limits = Limits(),
        as epoch: LogEpoch? = nil,
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        elapsed: (@Sendable () -> Duration)? = nil
    ) throws(EventLogError) {
        let opened = try LogDatabase(at: storage, durability: durability, limits: limits)
        let removed = epoch == nil ? nil : RemovedEvents()
        let tables: LogTables
        do {
            if let epoch { try opened.makeCopy(of: epoch) } else { try opened.goOnIfBehind() }
            horizons = RemovalHorizons(after: try opened.connection.writeWithoutTransaction(Restoration.last))
            tables = try opened.connection.writeWithoutTransaction { db in
                try LogTables(
                    db,
                    of: opened,
                    limits: limits,
                    removed: removed,
                    clock: clock,
                    elapsed: elapsed ?? LogClock.elapsed
                )
            }
        } catch {
            throw EventLogError(sqlite: error)
        }
        (self.limits, self.removed) = (limits, removed)
        self.epoch = tables.events.epoch
        time = tables.time.clock
        usage = tables.usage
        database = opened.connection
        place = opened.place
        sequencer = Sequencer(limits: limits, tail: tables.events.tail)
        sequencer.start(LogWriter(opened.connection, tables), hasGuests: durability != .disk) { [reads] in
            reads.shut()
            opened.close()
        }
    }

    deinit {
        sequencer.close {}
    }

    /// The position of the newest committed event.
    public var tail: Position { sequencer.tail }

    /// Hands drafts to the log: see ``EventLog/append(_:if:acknowledge:)``.
    public func append(
        _ drafts: [EventDraft],
        if condition: AppendCondition?,
        acknowledge: @escaping @Sendable (Result<AppendReceipt, EventLogError>) -> Void
    ) {
        sequencer.enqueue(.append(drafts, if: condition, acknowledge: acknowledge), isBounded: true)
    }

    /// Runs a body, and commits what it appends as one group, on this thread if that need not wait for a disk and the log's
    /// own thread is at rest: then it is acknowledged when this returns. The body must not wait for an acknowledgement.
    public func together(_ body: () -> Void) { sequencer.together(body) }

    /// Has a follower notified of every commit that adds events: see ``EventLog/follow(_:)``.
    public func follow(_ follower: @escaping @Sendable (Commit) -> Void) { sequencer.follow(follower) }

    /// Sees whether the log takes posts, in turn with those that wait: whether there is space as for one, and by writing, once
    /// a second at most: who asks may be anybody, and each write goes to the disk.
    ///
    /// - Throws: ``EventLogError`` with the code with which a post would be refused; `log-missing` if it would be
    ///   taken, but the log's file or its write-ahead log has no name any more.
    public func probe() async throws(EventLogError) {
        let space = await withCheckedContinuation { continuation in
            let none = WriteRequest.append([], if: nil) { continuation.resume(returning: $0) }
            sequencer.enqueue(none, isBounded: false)
        }
        _ = try space.get()
        try place?.check()
        let now = ContinuousClock.now
        guard probed.withLock({ $0.map { now - $0 >= .seconds(1) } ?? true }) else { return }
        // A revision that nobody gets: what is set to what it is already, SQLite does not write.
        try await change(makesRoom: false) { tables in try tables.db.run("UPDATE log SET revision = revision + 1") }
        probed.withLock { $0 = now }
    }

    /// Writes what is waiting, then closes the log.
    public func close() async {
        await withCheckedContinuation { continuation in sequencer.close { continuation.resume() } }
    }

    /// Runs a change on the writer's thread, in turn with the posts.
    /// - Parameter makesRoom: whether it is carried out also on a full disk.
    func change<Value: Sendable>(
        makesRoom: Bool = true,
        _ body: @escaping @Sendable (LogTables) throws -> Value
    ) async throws(EventLogError) -> Value {
        let result = await withCheckedContinuation { continuation in
            let change = LogChange(makesRoom: makesRoom, { continuation.resume(returning: $0) }, body)
            sequencer.enqueue(.change(change), isBounded: false)
        }
        return try result.get()
    }

    /// Runs a change that touches many rows. One at a time: however many are under way, a post waits for one of them.
    func longChange<Value: Sendable>(
        _ body: @escaping @Sendable (LogTables) throws -> Value
    ) async throws(EventLogError) -> Value {
        try await longChanges.run { () async throws(EventLogError) in try await change(body) }
    }

    /// Reads from a snapshot, on a thread of the database's.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (inout LogReader) throws -> Value
    ) async throws(EventLogError) -> Value {
        guard reads.enter() else { throw .isClosed }
        let result: Result<Value, EventLogError> = await withCheckedContinuation { continuation in
            database.asyncRead { [epoch, reads] snapshot in
                defer { reads.leave() }
                let result = Result {
                    var reader = LogReader(try snapshot.get(), epoch: epoch)
                    return try body(&reader)
                }
                continuation.resume(returning: result.mapError(EventLogError.init(sqlite:)))
            }
        }
        return try result.get()
    }

    /// Takes one slice of a count that may be long. One at a time: however many count, all other reads find a connection, and
    /// what one has counted the next finds counted.
    func readSlice<Value: Sendable>(
        _ body: @escaping @Sendable (inout LogReader, CountedBacklogs) throws -> Value
    ) async throws(EventLogError) -> Value {
        try await slices.run { () async throws(EventLogError) in
            // Whoever asked may be gone by now.
            if Task.isCancelled { throw .nobodyWaits }
            return try await read { [backlogs] reader in try body(&reader, backlogs) }
        }
    }
}

/// No other node writes to it: there is nothing to follow, and whoever has it open makes its deliveries.
extension SQLiteEventLog {
    package func followObservers(_ follower: @escaping @Sendable (ObserverChange) -> Void) {}
    package func followDeletions(_ follower: @escaping @Sendable (Topic) -> Void) {}
    package func followDuty(_ follower: @escaping @Sendable (_ grace: Duration) async -> Void) {}
    package func isOnDuty(for observer: ObserverID) -> Bool { true }
}
