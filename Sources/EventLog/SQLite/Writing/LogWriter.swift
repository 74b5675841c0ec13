internal import GRDB

/// Writes groups of requests, each group in one transaction, and removes what is kept no longer.
///
/// What it holds of the tables is in ``LogTables``; what it knows of the disk, in ``DiskSpace``.
///
/// `@unchecked Sendable`: made by the thread that opens the log, and from then on used by the one that has the right to commit
/// (``GroupCommit``), which is handed on under a lock. What is said to be confined to the writer's thread is confined so.
final class LogWriter: @unchecked Sendable {
    private let database: any DatabaseWriter
    /// Nil once the log is closing.
    private var tables: LogTables?
    private let diskSpace: DiskSpace
    private let clock: LogClock
    /// Whether the last step of maintenance failed: then the next one has time.
    private var maintenanceFailed = false
    /// When the last step of maintenance began.
    private var lastStep = ContinuousClock.now

    /// Of a copy: whether something of the sequence could not be written. What comes after it is not written either, or readers
    /// would go on without it.
    private var hasGap = false

    /// When a commit last waited for the disk.
    private var lastAwaited = ContinuousClock.now

    /// How long after that one the next does so, whatever it writes.
    private static let longestUnawaited = Duration.seconds(1)

    /// How many rows a long change touches in one transaction: about 10 ms.
    static let rowsAtOnce = 2_000

    /// How long maintenance that is due waits at the most.
    private static let longestWait = Duration.milliseconds(100)

    init(_ database: any DatabaseWriter, _ tables: LogTables) {
        (self.database, self.tables) = (database, tables)
        (diskSpace, clock) = (tables.diskSpace, tables.time.clock)
    }

    /// What one transaction committed.
    struct CommittedGroup {
        /// The events that all posts added, in sequence order.
        var events: [Event] = []
        /// What became of each request of the group, in order, or why only this one was refused.
        var results: [Result<Done, EventLogError>] = []
    }

    enum Done {
        case appended(AppendReceipt)
        case changed(@Sendable () -> Void)
    }

    /// Commits a group: every post of it or none, and every change of it that does not fail by itself.
    ///
    /// On a full disk posts are refused, and changes that make space are carried out.
    func commit(_ group: [WriteRequest]) -> Result<CommittedGroup, EventLogError> {
        if hasGap { return .failure(.isFull) }
        let result = commitAlone(group)
        if tables?.removed != nil { hasGap = Self.leavesGap(group, result) }
        return result
    }

    /// Whether anything of a sequence was left out for want of space, or because nothing could be committed.
    private static func leavesGap(_ group: [WriteRequest], _ result: Result<CommittedGroup, EventLogError>) -> Bool {
        let results = try? result.get().results
        return group.indices.contains { place in
            guard case .append(_, _, .some, _) = group[place] else { return false }
            guard let results else { return true }
            if case .failure(let error) = results[place] { return error.code == .storageFull }
            return false
        }
    }

    private func commitAlone(_ group: [WriteRequest]) -> Result<CommittedGroup, EventLogError> {
        database.writeWithoutTransaction { db in
            leaveFull()
            let takesPosts = diskSpace.admits(group.reduce(0) { $0 + $1.postedBytes }, db)
            let result = Result { () throws(EventLogError) in try write(group, takingPosts: takesPosts, db) }
            guard case .failure(let error) = result, error.code == .storageFull else { return result }
            diskSpace.enterFull()
            guard group.contains(where: { $0.change?.makesRoom ?? false }) else { return result }
            let rest = Result { try diskSpace.withinSlack(db) { try write(group, takingPosts: false, db) } }
                .mapError(EventLogError.init(sqlite:))
            // What of it came to the write-ahead log takes space from what is next.
            if case .failure(let error) = rest, error.code == .storageFull { diskSpace.enterFull() }
            return rest
        }
    }

    /// Whether changes of a group are carried out that leave half of the reserve to others. A copy leaves nothing out.
    private func mayUseReserve(for group: [WriteRequest], _ db: Database) -> Bool {
        let bytes = group.reduce(0) { $0 + ($1.change?.lastingBytes ?? 0) }
        return bytes == 0 || tables?.removed != nil || diskSpace.hasHalfOfReserve(beside: bytes, db)
    }

    private func write(
        _ group: [WriteRequest],
        takingPosts: Bool,
        _ db: Database
    ) throws(EventLogError) -> CommittedGroup {
        guard let tables else { throw .isClosed }
        let usesReserve = takingPosts || mayUseReserve(for: group, db)
        var committed = CommittedGroup()
        committed.events.reserveCapacity(group.reduce(0) { $0 + $1.events })
        committed.results.reserveCapacity(group.count)
        try tables.transaction(awaitingDisk: awaitsDisk(for: group)) {
            var time = tables.time.begin()
            for request in group {
                switch request {
                case .append where !takingPosts: committed.results.append(.failure(.isFull))
                case .change(let change)
                where !takingPosts && diskSpace.isFull && !change.makesRoom || !usesReserve && change.lastingBytes > 0:
                    committed.results.append(.failure(.isFull))
                case .append(let drafts, let condition, let placement, _):
                    if let placement { time = tables.events.take(placement) }
                    do {
                        let receipt = try tables.events.append(
                            drafts,
                            if: condition,
                            as: placement?.decision,
                            at: time,
                            to: &committed.events
                        )
                        committed.results.append(.success(.appended(receipt)))
                    } catch let refusal as EventLogError {
                        committed.results.append(.failure(refusal))
                    }
                case .change(let change):
                    committed.results.append(try tables.savepoint { .changed(try change.perform(tables)) })
                }
            }
            try tables.time.noteReading()
        }
        let bytes = committed.events.reduce(0) { $0 + $1.data.count }
        let count = committed.events.count
        tables.schedule.committed(rows: max(count, bytes / MaintenanceSchedule.bytesPerRow), events: count)
        return committed
    }

    /// Whether a group waits for the disk. What does not ask for it does so once a second, so that a power cut takes no more.
    private func awaitsDisk(for group: [WriteRequest]) -> Bool {
        let now = ContinuousClock.now
        let isAsked = group.contains { $0.change?.awaitsDisk ?? true }
        guard isAsked || now - lastAwaited >= Self.longestUnawaited else { return false }
        lastAwaited = now
        return true
    }

    /// Does what need not be done before a commit is acknowledged.
    func finishCommit() {
        leaveFull()
        diskSpace.writeAheadLog.keepShort(mayFollow: tables?.schedule.mayHaveFreePages ?? false)
    }

    /// By which events are too old.
    private var now: Timestamp { tables?.time.placed ?? clock.timeOfDay() }

    /// Sees whether a full disk has space again.
    private func leaveFull() {
        guard diskSpace.isFull else { return }
        diskSpace.leaveFull(isRemovalDue: tables?.schedule.isRemovalDue(isIdle: true, at: now) ?? false)
    }

    /// After how long without a post a step of maintenance is to be taken.
    var maintenanceDelay: Duration {
        guard let schedule = tables?.schedule, !maintenanceFailed, schedule.isDue(at: now)
        else { return WriterPace.longestWait }
        return schedule.hasWrittenNothing ? .zero : WriterPace.maintenanceDelay
    }

    /// Whether something is to be done after a commit that takes longer than one.
    var hasLongWork: Bool {
        diskSpace.isFull || diskSpace.writeAheadLog.isLong || tables?.schedule.isStepDue(at: now) ?? false
    }

    /// Takes one small step of removing what is kept no longer, if one is due.
    func maintain(isIdle: Bool) {
        guard let tables else { return }
        let now = now
        let moment = ContinuousClock.now
        // However often something comes in between: refused posts, say, that wait for space.
        let mayGiveBack = isIdle || diskSpace.isFull
        let isIdle = isIdle || moment - lastStep > Self.longestWait
        let before = tables.schedule
        guard var rows = tables.schedule.begin(isIdle: isIdle, at: now) else { return }
        lastStep = moment
        // On a full disk a step must find space in what the reserve left.
        if diskSpace.isFull { rows = min(rows, MaintenanceSchedule.busyStep) }
        let isDone = maintenance { tables in
            try tables.countEvents()
            let left = try tables.trimTopics(rows, isIdle: isIdle, at: now)
            let limit = max(left, MaintenanceSchedule.busyStep / 2)
            try tables.performChore(atMost: limit, mayGiveBack: mayGiveBack, at: now)
        }
        if !isDone { tables.schedule = before }
        maintenanceFailed = !isDone
        finishCommit()
    }

    /// Lets go of what would keep the connection from closing.
    func finish() {
        // What is not written now is found when the log is opened.
        _ = maintenance { tables in try tables.noteAll() }
        database.writeWithoutTransaction { db in
            tables = nil
            diskSpace.writeAheadLog.stop(db)
        }
    }

    /// Runs a step of maintenance in a transaction of its own, which no disk is waited for: if the power goes, what was
    /// removed is there again, and is removed again.
    /// - Returns: whether it was committed.
    private func maintenance(_ step: (LogTables) throws -> Void) -> Bool {
        database.writeWithoutTransaction { db in
            guard let tables else { return false }
            // For what it brings about: whatever is written can be moved into the file.
            _ = diskSpace.admits(0, db)
            do {
                try diskSpace.withinSlack(db) { try tables.transaction(awaitingDisk: false) { try step(tables) } }
                return true
            } catch {
                if EventLogError(sqlite: error).code == .storageFull { diskSpace.enterFull() }
                return false
            }
        }
    }
}
