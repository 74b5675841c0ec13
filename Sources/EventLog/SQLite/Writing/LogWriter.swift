internal import GRDB

/// Writes groups of requests, each group in one transaction.
///
/// What it holds of the tables in memory is ``WriterMemory``, which goes with each transaction (`LogWriter+Transactions`).
///
/// `@unchecked Sendable`: made by the thread that opens the log, then handed to the sequencer's thread and used only
/// there, inside an access to the database.
final class LogWriter: @unchecked Sendable {
    let epoch: LogEpoch
    let time: LogClock
    /// The clock of the day, which may step.
    var clock: @Sendable () -> Timestamp { time.timeOfDay }

    /// Nil once the log is closing: the statements must end before the connection does.
    private(set) var statements: WriterStatements?

    /// What the tables say, also of the transaction that is being written.
    var memory: WriterMemory
    let usage = LogUsage()
    let limits: SQLiteEventLog.Limits
    /// What is to be removed, and when. A note too many does no harm; maintenance that fails puts back what it took out.
    var schedule: MaintenanceSchedule
    /// Whether the last step of maintenance failed: then the next one has time.
    var maintenanceFailed = false
    /// When the last step of maintenance began.
    var lastStep = ContinuousClock.now
    /// Whether free pages can be given back to the file system.
    let isIncrementallyVacuumed: Bool
    var diskSpace: DiskSpace
    let writeAheadLog: WriteAheadLog

    let database: any DatabaseWriter
    let durability: Durability
    private var lastTime = Timestamp.earliest
    /// The log's time when the transaction began: its deliveries are due then, and its keys used.
    private(set) var begunAt = Timestamp.earliest
    /// Whether commits wait for the disk now, where durability asks for it.
    var waitsForDisk = true

    /// How far, in milliseconds, the system's clock may be set back without the log's time following it.
    private static let heldStep: Int64 = 60_000

    init(
        _ opened: LogDatabase,
        limits: SQLiteEventLog.Limits,
        clock: @escaping @Sendable () -> Timestamp,
        elapsed: @escaping @Sendable () -> Duration
    ) throws {
        database = opened.connection
        durability = opened.durability
        self.limits = limits
        diskSpace = DiskSpace(opened.reserve, limit: limits.storageBytes)
        schedule = MaintenanceSchedule(defaults: limits.retention)
        writeAheadLog = database.writeWithoutTransaction { db in WriteAheadLog(opened, db) }
        let state = try database.writeWithoutTransaction { db in
            guard let text = try String.fetchOne(db, sql: "SELECT epoch FROM log"), let epoch = LogEpoch(text) else {
                throw EventLogError(code: EventLogError.corrupt, message: "The log does not say who it is.")
            }
            let tail = try EventReader.tail(db)
            let reading = try LogClock.Reading(db)
            let time = try Int64.fetchOne(db, sql: "SELECT time FROM event ORDER BY seq DESC LIMIT 1")
            let vacuum = try Int64.fetchOne(db, sql: "PRAGMA auto_vacuum")
            return (epoch, tail, time, vacuum == 2, try LogWriter.uncounted(db), reading)
        }
        epoch = state.0
        memory = WriterMemory(tail: state.1, uncounted: state.4, topicLimit: limits.cachedTopics)
        lastTime = state.2.map(Timestamp.init(milliseconds:)) ?? .earliest
        isIncrementallyVacuumed = state.3
        time = LogClock(after: state.5, timeOfDay: clock, elapsed: elapsed)
        try database.writeWithoutTransaction { db in
            try readObservers(db)
            try readHeld(db)
            keepMemory()
            statements = try WriterStatements(db)
        }
    }

    /// Does what need not be done before a commit is acknowledged.
    func finishCommit() {
        leaveFull()
        writeAheadLog.keepShort(mayFollow: schedule.mayHaveFreePages)
    }

    /// Sees whether a full disk has space again.
    func leaveFull() {
        guard diskSpace.isFull else { return }
        diskSpace.leaveFull(writeAheadLog, isRemovalDue: schedule.isRemovalDue(isIdle: true, at: clock()))
    }

    /// Lets go of what would keep the connection from closing.
    func finish() {
        // For whoever looks at the file with other tools. What is not written now is found when the log is opened.
        _ = maintenance { db in
            try countEvents(db)
            try noteTime()
            try noteHeld(db)
        }
        database.writeWithoutTransaction { db in
            statements = nil
            writeAheadLog.stop(db)
        }
    }

    /// The time of the events that are being written: the clock's, but not before that of the event before, unless the
    /// clock was set back for good. So a time can be looked up in the sequence, and small corrections do not matter.
    func nextTime() -> Timestamp {
        let now = clock()
        begunAt = time.now
        if now >= lastTime || lastTime.milliseconds - now.milliseconds > LogWriter.heldStep { lastTime = now }
        return lastTime
    }

    /// Keeps what the clocks say, for when the log is opened again, unless it was done within the last second.
    func noteTime() throws {
        let reading = time.reading
        guard let statements, memory.noted.map({ reading.isNews(after: $0) }) ?? true else { return }
        statements.noteTime.bind(reading.time.milliseconds, at: 1)
        statements.noteTime.bind(reading.timeOfDay.milliseconds, at: 2)
        try statements.noteTime.run()
        memory.noted = reading
    }
}

extension LogClock.Reading {
    /// What was kept last.
    fileprivate init(_ db: Database) throws {
        let row = try PreparedStatement(db, "SELECT time, time_of_day FROM log")
        let reading = try row.first { row in
            LogClock.Reading(
                time: Timestamp(milliseconds: row.integer(0)),
                timeOfDay: Timestamp(milliseconds: row.integer(1))
            )
        }
        self = reading ?? LogClock.Reading(time: .earliest, timeOfDay: .earliest)
    }

    /// Whether a second has passed by one of the clocks.
    fileprivate func isNews(after other: LogClock.Reading) -> Bool {
        max(
            (time.milliseconds - other.time.milliseconds).magnitude,
            (timeOfDay.milliseconds - other.timeOfDay.milliseconds).magnitude
        ) >= 1_000
    }
}
