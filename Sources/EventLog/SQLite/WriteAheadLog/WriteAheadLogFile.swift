internal import GRDB
internal import GRDBSQLite

/// The file of a write-ahead log, between a connection and what SQLite does with it: it replaces the file's methods
/// (<https://www.sqlite.org/c3ref/io_methods.html>).
///
/// What a commit adds is written in one call, where SQLite makes two for each page: one for a frame's head and one for the page
/// (<https://www.sqlite.org/fileformat2.html#walformat>). Frames that continue what was written last are held until the one whose
/// head ends a transaction: SQLite shows nobody a frame before, and is told of a failure then. Whatever else is asked of the file has
/// what is held written first.
///
/// What was written must still be there, or nothing is written after it, nor read: where somebody has emptied or cut the file
/// SQLite would leave a hole, and move the zeros in it into the database file. If the file ends within what was moved there already,
/// it is emptied: what is left of it is older than that, and would be laid over it at the next opening.
///
/// Confined to the connection's thread. `@safe`: SQLite lends the file and the bytes for each call.
@safe struct WriteAheadLogFile {
    /// What SQLite calls. It is first, so that its address, which the file has, is that of this value.
    private var methods: sqlite3_io_methods
    private let original: UnsafePointer<sqlite3_io_methods>
    private let written: WrittenFrames

    private let held: UnsafeMutableRawBufferPointer
    private var heldSize = 0
    /// Where what SQLite has written last ends, in the file.
    private var end: Int64 = -1
    private var awaited = Part.any

    /// What is to come next.
    private enum Part { case any, page, lastPage }

    private static let headSize = 24
    /// What SQLite says itself where the file ends before what it has to read.
    private static let isCut = ResultCode.SQLITE_IOERR_SHORT_READ.rawValue
    /// How much is held, in bytes: a large transaction is written in several pieces.
    private static let capacity = 128 << 10

    /// Takes effect until the connection is closed. Without a write-ahead log there is none.
    /// - Parameters:
    ///   - written: shared by the connections of one log.
    ///   - isWriter: whether it is the connection that writes, to a log that is as it was left until then.
    static func start(_ db: Database, _ written: WrittenFrames, isWriter: Bool = false) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        unsafe sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
        guard let file = unsafe file, let original = unsafe file.pointee.pMethods else { return }
        let writes = UnsafeMutablePointer<WriteAheadLogFile>.allocate(capacity: 1)
        unsafe writes.initialize(to: WriteAheadLogFile(before: original, written))
        unsafe file.pointee.pMethods = UnsafeRawPointer(writes).assumingMemoryBound(to: sqlite3_io_methods.self)
        var size: Int64 = 0
        if isWriter, unsafe original.pointee.xFileSize(file, &size) == SQLITE_OK { written.begin(at: size) }
    }

    private init(before original: UnsafePointer<sqlite3_io_methods>, _ written: WrittenFrames) {
        unsafe self.original = original
        self.written = written
        unsafe methods = original.pointee
        unsafe held = .allocate(byteCount: Self.capacity, alignment: 16)
        unsafe methods.xWrite = { file, bytes, count, offset in
            let bytes = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
            return unsafe WriteAheadLogFile.of(file).pointee.write(bytes, at: offset, file)
        }
        unsafe methods.xRead = { file, bytes, count, offset in
            unsafe WriteAheadLogFile.whole(file) { methods in
                let writes = unsafe WriteAheadLogFile.of(file)
                let isWhole = unsafe writes.pointee.reaches(writes.pointee.written.end, file)
                return unsafe isWhole ? methods.xRead(file, bytes, count, offset) : WriteAheadLogFile.isCut
            }
        }
        unsafe methods.xTruncate = { file, size in
            unsafe WriteAheadLogFile.whole(file) { unsafe $0.xTruncate(file, size) }
        }
        unsafe methods.xSync = { file, flags in unsafe WriteAheadLogFile.whole(file) { unsafe $0.xSync(file, flags) } }
        unsafe methods.xFileSize = { file, size in
            unsafe WriteAheadLogFile.whole(file) { unsafe $0.xFileSize(file, size) }
        }
        unsafe methods.xClose = { file in
            // What is held was never committed.
            let writes = unsafe WriteAheadLogFile.of(file)
            defer {
                unsafe writes.pointee.held.deallocate()
                unsafe writes.deinitialize(count: 1)
                unsafe writes.deallocate()
            }
            return unsafe writes.pointee.original.pointee.xClose(file)
        }
    }

    private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<WriteAheadLogFile> {
        unsafe UnsafeMutableRawPointer(mutating: file!.pointee.pMethods).assumingMemoryBound(to: WriteAheadLogFile.self)
    }

    /// Calls a method of the file once what is held is in it.
    private static func whole(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ call: (sqlite3_io_methods) -> Int32
    ) -> Int32 {
        let writes = unsafe of(file)
        let result = unsafe writes.pointee.writeHeld(file)
        return unsafe result == SQLITE_OK ? call(writes.pointee.original.pointee) : result
    }

    private mutating func write(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64,
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> Int32 {
        let continues = offset == end
        let part = continues ? awaited : .any
        awaited = .any
        guard continues, part != .any || bytes.count == Self.headSize else {
            let result = unsafe writeHeld(file)
            guard result == SQLITE_OK else { return result }
            end = offset + Int64(bytes.count)
            return unsafe write(UnsafeRawBufferPointer(bytes), to: end, file)
        }
        if heldSize + bytes.count > Self.capacity {
            let result = unsafe writeHeld(file)
            guard result == SQLITE_OK else { return result }
        }
        unsafe UnsafeMutableRawBufferPointer(rebasing: held[heldSize...]).copyMemory(from: bytes)
        heldSize += bytes.count
        end += Int64(bytes.count)
        if part == .any {
            // How large the database is after the transaction, if this is its last frame; otherwise 0.
            awaited = unsafe bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self) == 0 ? .page : .lastPage
        }
        return unsafe part == .lastPage ? writeHeld(file) : SQLITE_OK
    }

    private mutating func writeHeld(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
        if heldSize == 0 { return SQLITE_OK }
        let size = heldSize
        heldSize = 0
        let result = unsafe write(UnsafeRawBufferPointer(rebasing: held[..<size]), to: end, file)
        if result != SQLITE_OK { end = -1 }
        return result
    }

    /// Writes bytes that end at a place.
    private func write(
        _ bytes: UnsafeRawBufferPointer,
        to end: Int64,
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> Int32 {
        let start = end - Int64(bytes.count)
        guard unsafe reaches(start, file) else { return Self.isCut }
        let result = unsafe original.pointee.xWrite(file, bytes.baseAddress, Int32(bytes.count), start)
        if result == SQLITE_OK { written.add(from: start, to: end) }
        return result
    }

    /// Whether the file is as long as that. One whose size cannot be told is.
    private func reaches(_ end: Int64, _ file: UnsafeMutablePointer<sqlite3_file>?) -> Bool {
        var size: Int64 = 0
        guard unsafe original.pointee.xFileSize(file, &size) == SQLITE_OK, size < end else { return true }
        written.cut?.set()
        if size < written.moved { _ = unsafe original.pointee.xTruncate(file, 0) }
        return false
    }
}
