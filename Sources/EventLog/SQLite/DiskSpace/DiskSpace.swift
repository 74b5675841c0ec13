internal import GRDB

/// Whether there is space on the disk, and what is done when there is none. Confined to the writer's thread.
final class DiskSpace {
    /// Nil if nothing is on disk.
    private let reserve: StorageReserve?
    /// The size up to which the database may grow; nil for no limit but the disk's.
    var limit: Int?
    let writeAheadLog: WriteAheadLog
    private var watch = DiskSpaceWatch()
    /// How long the write-ahead log was when the watch was told last.
    private var toldPages = 0

    /// Whether the disk is full and the reserve given up: only what makes space is written.
    private(set) var isFull: Bool

    init(_ reserve: StorageReserve?, limit: Int?, _ writeAheadLog: WriteAheadLog) throws(EventLogError) {
        self.reserve = reserve
        self.limit = limit
        self.writeAheadLog = writeAheadLog
        isFull = try reserve?.make() == false
    }

    /// Sees whether posts of so many bytes may be written: there must be space for them in the write-ahead log and, as far
    /// as it has no free pages, in the database file, and space to move there what is in the write-ahead log already. So
    /// what is written can always be moved into the file, and a full disk finds a write-ahead log that can be emptied.
    func admits(_ bytes: Int, _ db: Database) -> Bool {
        guard let reserve, !isFull else { return !isFull }
        let now = ContinuousClock.now
        // Changes write to it, too, and say not how much.
        watch.wrote(max(writeAheadLog.pages - toldPages, 0) * pageSize)
        toldPages = writeAheadLog.pages
        guard watch.mustLook(beforeWriting: bytes, at: now) else { return true }
        guard var available = reserve.available else { return true }
        var needed = bytes + margin + growth(writing: bytes, db)
        if available < needed + Self.changeMargin, writeAheadLog.pages > 0 {
            writeAheadLog.empty()
            needed = bytes + margin + growth(writing: bytes, db)
            available = reserve.available ?? available
        }
        let isEnough = available >= needed
        // Who was refused asks again, and others may have taken more meanwhile.
        if isEnough { watch.saw(available, at: now) } else { watch = DiskSpaceWatch() }
        return isEnough
    }

    /// Sees whether half of the reserve, given up or not, is there beside so many bytes, once in the write-ahead log and once
    /// in the file, and what moving the write-ahead log needs. So there is space for what makes more, however much else is
    /// written to a full disk.
    func hasHalfOfReserve(beside bytes: Int, _ db: Database) -> Bool {
        guard let reserve else { return true }
        func isEnough() -> Bool {
            guard let available = reserve.available else { return true }
            let kept = reserve.isThere ? StorageReserve.size : 0
            return available + kept >= StorageReserve.size / 2 + bytes + growth(writing: bytes, db)
        }
        if isEnough() { return true }
        writeAheadLog.empty()
        return isEnough()
    }

    /// By how many bytes the database file becomes larger when the write-ahead log is moved there, with posts of so many
    /// bytes.
    private func growth(writing posted: Int, _ db: Database) -> Int {
        func bytes(_ pragma: String) -> Int { Int((try? db.number("PRAGMA \(pragma)")) ?? 0) * pageSize }
        let size = bytes("page_count")
        return max(size - (reserve?.databaseSize ?? size), 0) + max(posted - bytes("freelist_count"), 0)
    }

    /// The disk is full: gives up the reserve, so that what makes space can be written. Posts are refused until there is
    /// space for the reserve again.
    func enterFull() {
        guard let reserve else { return }
        writeAheadLog.empty()
        guard !isFull else { return }
        // If there is space it was the database's own limit that was met. Without one a quota, of which nothing else tells, or
        // the space has just come.
        guard limit == nil || reserve.available.map({ $0 < 2 * StorageReserve.size }) ?? false else { return }
        isFull = true
        reserve.giveUp()
        writeAheadLog.empty()
    }

    /// Sees whether there is space again on a disk that was full.
    /// - Parameter isRemovalDue: whether something is to be removed. That needs the space of the reserve, and makes more.
    func leaveFull(isRemovalDue: Bool) {
        guard isFull, let reserve else { return }
        if writeAheadLog.pages > 0 { writeAheadLog.empty() }
        let isAmple = reserve.available.map { $0 > 3 * StorageReserve.size } ?? false
        // Something else in the way of the reserve does not keep posts from the space that there is.
        if isAmple || !isRemovalDue { isFull = (try? reserve.make()) == false }
    }

    /// Runs a body in which the database may become somewhat larger than its limit, so that events can be removed from
    /// one that is full.
    func withinSlack<Value>(_ db: Database, _ body: () throws -> Value) throws -> Value {
        guard let limit else { return try body() }
        try LogDatabase.limitStorage(of: db, to: limit + StorageReserve.size, pageSize: pageSize)
        defer { try? LogDatabase.limitStorage(of: db, to: limit, pageSize: pageSize) }
        return try body()
    }

    /// Gives some free pages at the file's end back to the file system (`PRAGMA incremental_vacuum`), if there are many:
    /// more than an eighth of the file, because what posts will use again soon had better stay.
    /// - Parameter limit: how many pages may be moved, of 4 KiB at the most; of larger ones as many fewer.
    /// - Returns: whether there may be more to give back.
    func giveBack(_ limit: Int, _ db: Database) throws -> Bool {
        let (free, pages) = (try db.number("PRAGMA freelist_count"), try db.number("PRAGMA page_count"))
        let isMuch = free >= max(Int64(Self.freeBytes / pageSize), pages / 8) || (isFull && free > 0)
        // 2 is `INCREMENTAL`: a file that was made otherwise cannot.
        guard isMuch, try db.number("PRAGMA auto_vacuum") == 2 else { return false }
        let moved = max(limit * 4_096 / max(pageSize, 4_096), 1)
        try db.compiled("PRAGMA incremental_vacuum(\(moved))").run()
        // The file itself becomes shorter at a checkpoint.
        writeAheadLog.wantsCheckpoint = true
        return true
    }

    private var pageSize: Int { writeAheadLog.pageSize }

    /// The bytes of free space in the file up to which it is kept however small the file is.
    private static let freeBytes = 2 << 20

    /// The bytes that a transaction writes beside its posts, about. It writes whole pages, however little it changes in them.
    private var margin: Int { max(1 << 18, 16 * pageSize) }

    /// The bytes that a transaction may write of changes, which do not say how much: of the outcomes of some hundred attempts.
    /// With less the write-ahead log is emptied before, so that one that does not fit leaves nothing that cannot be moved.
    private static let changeMargin = 1 << 22
}
