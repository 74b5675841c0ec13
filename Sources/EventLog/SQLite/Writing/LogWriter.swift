internal import GRDB

/// Writes groups of requests, each group in one transaction.
///
/// What it holds in memory (the next position, numbers of topics, observers) is what the tables say; a transaction that
/// fails puts it back.
///
/// `@unchecked Sendable`: made by the thread that opens the log, then handed to the sequencer's thread and used only
/// there, inside an access to the database.
final class LogWriter: @unchecked Sendable {
    let epoch: LogEpoch
    let clock: @Sendable () -> Timestamp

    /// Nil once the log is closing: the statements must end before the connection does.
    private(set) var statements: WriterStatements?

    /// The position of the newest event written, committed or not.
    var tail: Int64
    /// The id of the newest delivery written. Never used twice while the log is open, so that a late outcome cannot hit
    /// another delivery.
    var lastDelivery: Int64
    /// Deliveries without rows.
    var deferred = DeferredDeliveries()
    /// How many of them there may be, as a rule.
    let mostDeferred: Int
    let deferralWatch = DeferralWatch()
    /// What `log.fanned_out` says; nil if that is not known.
    var fannedOut: Int64?
    var topics: TopicNumbers
    var observers = ObserverRegistry()
    /// Deliveries that this transaction added; nil if followers are not told of each.
    var told: [CommittedDelivery]? = []
    /// What this transaction added to topics, by their numbers.
    var added: [Int64: TopicAddition] = [:]
    /// What earlier transactions added to topics, by their numbers, and their counters do not show yet.
    var additions: [Int64: TopicAddition]
    /// What is to be removed, and when.
    var schedule: MaintenanceSchedule
    /// Whether the last step of maintenance failed: then the next one has time.
    var maintenanceFailed = false
    /// When the last step of maintenance began.
    var lastStep = ContinuousClock.now
    /// Whether free pages can be given back to the file system.
    let isIncrementallyVacuumed: Bool
    /// Whether a checkpoint is wanted although the write-ahead log has not grown much.
    var wantsCheckpoint = false

    /// Nil if nothing is on disk.
    let reserve: StorageReserve?
    var room = RoomWatch()
    /// Whether the disk is full and the reserve given up: only what makes room is written.
    var isFull = false
    /// The size up to which the database may grow; nil for no limit but the disk's.
    let storageBytes: Int?

    let database: any DatabaseWriter
    let durability: Durability
    private let checkpointer: Checkpointer?
    private var checkpoints = CheckpointSchedule()
    private var writeAheadLog: WriteAheadLogWatch?
    private var time = Timestamp.earliest
    /// What the clock said when the transaction began: its deliveries are due then, although ``nextTime()`` may be ahead.
    private(set) var begunAt = Timestamp.earliest
    /// Whether `observers` is not what the table says.
    var observersAreStale = false
    /// Whether commits wait for the disk now, where durability asks for it.
    var waitsForDisk = true

    /// How far, in milliseconds, the system's clock may be set back without the log's time following it.
    private static let heldStep: Int64 = 60_000

    init(_ opened: LogDatabase, limits: SQLiteEventLog.Limits, clock: @escaping @Sendable () -> Timestamp) throws {
        database = opened.connection
        durability = opened.durability
        checkpointer = opened.checkpointer
        reserve = opened.reserve
        storageBytes = limits.storageBytes
        mostDeferred = limits.deferredDeliveries
        self.clock = clock
        topics = TopicNumbers(capacity: limits.cachedTopics)
        schedule = MaintenanceSchedule(defaults: limits.retention)
        let state = try database.writeWithoutTransaction { db in
            guard let text = try String.fetchOne(db, sql: "SELECT epoch FROM log"), let epoch = LogEpoch(text) else {
                throw EventLogError(code: EventLogError.corrupt, message: "The log does not say who it is.")
            }
            let tail = try EventReader.tail(db)
            let time = try Int64.fetchOne(db, sql: "SELECT time FROM event ORDER BY seq DESC LIMIT 1")
            let lastDelivery = try Int64.fetchOne(db, sql: "SELECT max(id) FROM delivery") ?? 0
            let vacuum = try Int64.fetchOne(db, sql: "PRAGMA auto_vacuum")
            return (epoch, tail, time, lastDelivery, vacuum == 2, try LogWriter.uncounted(db))
        }
        epoch = state.0
        tail = state.1
        time = state.2.map(Timestamp.init(milliseconds:)) ?? .earliest
        lastDelivery = state.3
        isIncrementallyVacuumed = state.4
        additions = state.5
        try database.writeWithoutTransaction { db in
            // What a deletion left behind that a crash cut short.
            while try purgeDeliveries(db) {}
            observers = try ObserverRegistry(db)
            try recoverDeferred(db)
            statements = try WriterStatements(db)
            if checkpointer != nil { writeAheadLog = WriteAheadLogWatch(db) }
        }
        if let reserve { isFull = !reserve.make() }
    }

    /// Does what need not be done before a commit is acknowledged.
    func tidy() {
        if isFull { leaveFull() }
        guard let checkpointer else { return }
        var action = checkpoints.next(pages: writeAheadLogPages, isRunning: checkpointer.isRunning)
        if action == .wait {
            checkpointer.wait()
            action = checkpoints.next(pages: writeAheadLogPages, isRunning: false)
        }
        switch action {
        case .beside: checkpointer.run()
        case .none, .wait:
            guard wantsCheckpoint, !schedule.mayHaveFreePages, !checkpointer.isRunning else { return }
            checkpointer.run()
        case .here:
            // Readers that are in the way are waited for as long as the connection's busy timeout says.
            database.unsafeReentrantWrite { db in _ = try? db.checkpoint(.restart) }
        }
        wantsCheckpoint = false
    }

    /// The pages of the write-ahead log; 0 if there is none.
    var writeAheadLogPages: Int { writeAheadLog?.pages ?? 0 }

    /// Moves the write-ahead log into the database file, unless a reader is in the way for long, and gives its space back.
    func emptyWriteAheadLog() {
        database.unsafeReentrantWrite { db in
            guard !db.isInsideTransaction, (try? db.checkpoint(.truncate)) != nil else { return }
            writeAheadLog?.beginAnew()
        }
    }

    /// Lets go of what would keep the connection from closing.
    func finish() {
        // For whoever looks at the file with other tools. What is not written now is found when the log is opened.
        if !additions.isEmpty || deferred.count > 0 {
            _ = maintenance { db in
                try countEvents(db)
                try writeDeferredInMemory()
            }
        }
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
        begunAt = now
        if now >= time || time.milliseconds - now.milliseconds > LogWriter.heldStep { time = now }
        return time
    }

}
