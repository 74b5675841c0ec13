internal import GRDB

/// An open database of a log, with what must outlive its use.
struct LogDatabase: Sendable {
    let connection: any DatabaseWriter

    /// What an acknowledged event survives; in memory if that is where it is.
    let durability: Durability

    /// The bytes of a page: 4,096, unless whoever has written the file anew (`VACUUM`) chose otherwise.
    let pageSize: Int

    // Nil if nothing is on disk:

    let place: LogPlace?
    let reserve: StorageReserve?
    let checkpointer: Checkpointer?
    let lock: DirectoryLock?

    /// What is written into its write-ahead log.
    let written: WrittenFrames

    /// Whether the file said that it is a copy when it was opened, whatever was in its write-ahead log.
    private let wasCopy: Bool

    /// Opens a log, or makes one.
    init(
        at storage: SQLiteEventLog.Storage,
        durability: Durability,
        limits: SQLiteEventLog.Limits
    ) throws(EventLogError) {
        do {
            switch (storage, durability) {
            case (.directory(let directory), .disk), (.directory(let directory), .process):
                let file = LogFile(directory: directory)
                try file.makeDirectory()
                lock = try DirectoryLock(of: directory, isNew: true)
                // Before the reserve, which is another hub's if that has the log open.
                try lock?.take(file)
                self.durability = durability
                let reserve = StorageReserve(directory: directory)
                self.reserve = reserve
                // Opening takes some space, too.
                if let available = reserve.available, available < StorageReserve.size / 2 { reserve.giveUp() }
                try file.prepare()
                // If it was made only now.
                try lock?.take(file)
                wasCopy = try file.isCopy()
                written = WrittenFrames(CutMark(file))
                connection = try DatabasePool(path: file.path, configuration: LogDatabase.configuration)
                checkpointer = try Checkpointer(path: file.path, written)
                place = LogPlace(file)
            case (.inMemory, _), (_, .memory):
                self.durability = .memory
                lock = nil
                wasCopy = false
                place = nil
                reserve = nil
                checkpointer = nil
                written = WrittenFrames()
                connection = try DatabaseQueue(configuration: LogDatabase.configuration)
            }
            try SchemaVersion.migrator.migrate(connection)
            pageSize = try connection.writeWithoutTransaction { db in
                // A pool has set NORMAL. FULL has every commit wait for fsync, which is what a power cut asks for.
                if durability == .disk { try db.execute(sql: "PRAGMA synchronous = FULL") }
                try db.execute(sql: "PRAGMA cache_size = -32768")
                // Nothing is written before its transaction's end: where a part of one is undone that was, SQLite before 3.50.2
                // commits with frames that no recovery takes (https://sqlite.org/forum/forumpost/b490f726db).
                try db.execute(sql: "PRAGMA cache_spill = OFF")
                // Debian's SQLite overwrites all that is deleted with zeros; then removing costs as much as writing did.
                try db.execute(sql: "PRAGMA secure_delete = FAST")
                // What a part of a transaction would be undone by: to a file it goes page by page, with each change again.
                try db.execute(sql: "PRAGMA temp_store = MEMORY")
                try db.execute(sql: "PRAGMA journal_size_limit = \(64 << 20)")
                let pageSize = Int(try db.number("PRAGMA page_size"))
                if let bytes = limits.storageBytes {
                    try LogDatabase.limitStorage(of: db, to: bytes, pageSize: pageSize)
                }
                return pageSize
            }
        } catch {
            let error = EventLogError(sqlite: error)
            throw Self.isForWantOfInodes(error, in: storage) ? .isFull : error
        }
    }

    /// SQLite does not say why it cannot make a file.
    private static func isForWantOfInodes(_ error: EventLogError, in storage: SQLiteEventLog.Storage) -> Bool {
        guard case .directory(let directory) = storage, (error.cause as? DatabaseError)?.resultCode == .SQLITE_CANTOPEN
        else { return false }
        return StorageReserve(directory: directory).hasNoInodes
    }

    /// Has a log that was just made be a copy of another, whose ids it gives its events. It outlives no machine, and so
    /// waits for no disk.
    func makeCopy(of epoch: LogEpoch) throws {
        try connection.writeWithoutTransaction { db in
            try db.execute(sql: "UPDATE log SET epoch = ?", arguments: [epoch.description])
            try db.execute(sql: "PRAGMA synchronous = OFF")
        }
        try checkpointer?.leaveDiskAlone()
    }

    /// Has a log that is a copy of another, or was cut, go on where the other, or it, has never been (``Restoration``). With the
    /// mark it begins anew after a crash; without it nothing is given out before it has.
    func goOnIfBehind() throws {
        try connection.writeWithoutTransaction { db in
            let wasCut = written.cut?.isSet ?? false
            if try wasCut || CopyMark.isSet(db) {
                try db.inTransaction(.immediate) {
                    try Restoration.begin(db)
                    try CopyMark.remove(db)
                    return .commit
                }
            }
            // A file that has the mark no more takes whatever write-ahead log is beside it for its own. Who reads the log
            // at this moment, such as a backup, may be in the way: then both are told by what they say (`CopyProgress`).
            if wasCopy || wasCut { _ = try? db.checkpoint(.truncate) }
            if wasCut { written.cut?.remove() }
        }
    }

    /// Checkpoints and closes. Nothing may be reading or writing any more.
    func close() {
        // What cannot be moved into the main file now stays in the write-ahead log, and is found there at opening.
        try? connection.close()
        // Last, because the last connection moves the write-ahead log into the main file and removes it, and a pool
        // closes its readers, which cannot write, after its writer.
        checkpointer?.close()
        // For opening the log on a disk that is full by then.
        _ = try? reserve?.make(leaving: 0)
        lock?.release()
    }

    /// Bounds the database's size, rounded down to whole pages. SQLite never sets the bound below the present size.
    static func limitStorage(of db: Database, to bytes: Int, pageSize: Int) throws {
        try db.execute(sql: "PRAGMA max_page_count = \(max(bytes / pageSize, 1))")
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        // No key refers to another table: what belongs together is written and deleted together.
        configuration.foreignKeysEnabled = false
        configuration.label = "clarion"
        // The writer meets a lock only when it has the write-ahead log begin anew while readers are still in it; a page is
        // read in less time than this, in seconds.
        configuration.busyMode = .timeout(0.05)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -8192")
        }
        return configuration
    }
}
