internal import GRDB

extension LogWriter {
    /// Sees whether posts of so many bytes may be written: there must be room for them in the write-ahead log and, as far as
    /// it has no free pages, in the database file, and room to move there what is in the write-ahead log already. So what is
    /// written can always be moved into the file, and a full disk finds a write-ahead log that can be emptied.
    func hasRoom(for bytes: Int, _ db: Database) -> Bool {
        guard let reserve else { return true }
        if isFull { return leaveFull() }
        let now = ContinuousClock.now
        guard room.mustLook(beforeWriting: bytes, at: now) else {
            room.writing(bytes)
            return true
        }
        guard var available = reserve.available else { return true }
        var needed = bytes + Self.margin + growth(writing: bytes, db)
        if available < needed, writeAheadLogPages > 0 {
            emptyWriteAheadLog()
            needed = bytes + Self.margin + growth(writing: bytes, db)
            available = reserve.available ?? available
        }
        room.saw(available, at: now)
        room.writing(bytes)
        return available >= needed
    }

    /// By how many bytes the database file becomes larger when the write-ahead log is moved there, with posts of so many
    /// bytes.
    private func growth(writing bytes: Int, _ db: Database) -> Int {
        func number(_ pragma: String) -> Int {
            let value = try? PreparedStatement(cachedIn: db, "PRAGMA \(pragma)").first { Int($0.integer(0)) }
            return (value ?? nil) ?? 0
        }
        let size = number("page_count") * Self.pageSize
        return max(size - (reserve?.databaseSize ?? size), 0) + max(bytes - number("freelist_count") * Self.pageSize, 0)
    }

    /// The disk is full: gives up the reserve, so that what makes room can be written. Posts are refused until there is
    /// room for the reserve again.
    func enterFull() {
        guard let reserve, !isFull else { return }
        emptyWriteAheadLog()
        // If there is room it was the database's own limit that was met, or the room has just come.
        guard let available = reserve.available, available < 2 * StorageReserve.size else { return }
        isFull = true
        reserve.giveUp()
        emptyWriteAheadLog()
    }

    /// After a write on a full disk: sees whether there is room again.
    /// - Returns: whether there is.
    @discardableResult
    func leaveFull() -> Bool {
        guard isFull, let reserve else { return !isFull }
        if writeAheadLogPages > 0 { emptyWriteAheadLog() }
        // What is to be removed needs the room of the reserve, and will make more.
        let isAmple = reserve.available.map { $0 > 3 * StorageReserve.size } ?? false
        if !isAmple, schedule.isRemovalDue(isIdle: true, at: clock()) { return false }
        isFull = !reserve.make()
        return !isFull
    }

    /// Runs a body in which the database may become somewhat larger than its limit, so that events can be removed from
    /// one that is full.
    func withinSlack<Value>(_ db: Database, _ body: () throws -> Value) throws -> Value {
        guard let storageBytes else { return try body() }
        try LogDatabase.limitStorage(of: db, to: storageBytes + StorageReserve.size)
        defer { try? LogDatabase.limitStorage(of: db, to: storageBytes) }
        return try body()
    }

    /// In bytes: SQLite's default, with which logs are made.
    private static let pageSize = 4_096

    /// The bytes that a transaction writes beside its posts, about.
    private static let margin = 1 << 18
}
