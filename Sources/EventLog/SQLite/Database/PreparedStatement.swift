internal import GRDB
// SQLite's C functions, as GRDB itself imports them: binding and reading rows through them spares the copies that
// GRDB's arguments and rows would make of every event's data.
internal import GRDBSQLite

/// A prepared statement that is bound, stepped and read by SQLite's own functions
/// (<https://www.sqlite.org/c3ref/stmt.html>).
///
/// To be used only inside an access to the database it was prepared in. Parameters count from 1 and columns from 0, as
/// they do in SQLite. A row's columns are valid until the next step.
///
/// `@safe`: the handle is valid for as long as the object, which finalizes it, and no pointer leaves it.
@safe final class PreparedStatement {
    /// Owns the handle: finalizes it when released.
    private let statement: Statement
    private let handle: OpaquePointer

    /// Compiles a statement that lives as long as this object, which must end before the database is closed.
    init(_ db: Database, _ sql: String) throws {
        statement = try db.makeStatement(sql: sql)
        unsafe handle = statement.sqliteStatement
    }

    /// Takes a statement from the connection's cache, where it returns to, reset, with ``reset()``.
    init(cachedIn db: Database, _ sql: String) throws {
        statement = try db.cachedStatement(sql: sql)
        unsafe handle = statement.sqliteStatement
    }

    // MARK: Binding. It cannot fail but for want of memory or a wrong index, both of which the next step reports.

    func bind(_ value: Int64, at index: Int32) {
        unsafe _ = sqlite3_bind_int64(handle, index, value)
    }

    func bind(_ value: Int64?, at index: Int32) {
        if let value { bind(value, at: index) } else { bindNull(at: index) }
    }

    /// SQLite makes a copy: for texts, which are short.
    func bind(_ text: String?, at index: Int32) {
        guard let text else { return bindNull(at: index) }
        // `unsafe`: SQLITE_TRANSIENT has SQLite copy the bytes before the closure that lends them ends.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        unsafe text.withCString { bytes in
            unsafe _ = sqlite3_bind_text(handle, index, bytes, Int32(text.utf8.count), transient)
        }
    }

    /// SQLite makes a copy: for blobs that are short.
    func bind(_ bytes: [UInt8]?, at index: Int32) {
        guard let bytes else { return bindNull(at: index) }
        if bytes.isEmpty { return bindEmptyBlob(at: index) }
        // `unsafe`: as above.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe _ = sqlite3_bind_blob64(handle, index, buffer.baseAddress, UInt64(buffer.count), transient)
        }
    }

    /// Runs to the end with a blob bound where it lies, without a copy.
    func run(binding bytes: [UInt8], at index: Int32) throws {
        if bytes.isEmpty {
            bindEmptyBlob(at: index)
            return try run()
        }
        // `unsafe`: SQLite is lent the bytes for this run only; it ends, and they are unbound, before the closure does.
        try unsafe bytes.withUnsafeBytes { buffer in
            unsafe _ = sqlite3_bind_blob64(handle, index, buffer.baseAddress, UInt64(buffer.count), nil)
            defer { bindNull(at: index) }
            try run()
        }
    }

    private func bindNull(at index: Int32) {
        unsafe _ = sqlite3_bind_null(handle, index)
    }

    /// A null pointer of length 0 would be bound as NULL.
    private func bindEmptyBlob(at index: Int32) {
        unsafe _ = sqlite3_bind_zeroblob(handle, index, 0)
    }

    // MARK: Running

    /// Moves to the next row; false at the end.
    func step() throws -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            // `unsafe`: the message is SQLite's own, valid until the next call on the connection, and copied here.
            let message = unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
        }
    }

    /// Ends the run, so that the statement holds no snapshot or lock and may be bound anew.
    func reset() {
        unsafe _ = sqlite3_reset(handle)
    }

    /// Runs to the end.
    func run() throws {
        defer { reset() }
        while try step() {}
    }

    /// Runs to the first row and reads from it; nil if there is none.
    func first<Value>(_ read: (PreparedStatement) throws -> Value) throws -> Value? {
        defer { reset() }
        return try step() ? read(self) : nil
    }

    /// Runs to the end, reading from each row.
    func forEach(_ read: (PreparedStatement) throws -> Void) throws {
        defer { reset() }
        while try step() { try read(self) }
    }

    /// Runs on while a closure, which reads a row, says so.
    func prefix(while body: (PreparedStatement) throws -> Bool) throws {
        defer { reset() }
        while try step(), try body(self) {}
    }

    // MARK: Reading

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(handle, column)
    }

    func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    func text(_ column: Int32) -> String {
        unsafe withBytes(of: column) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    /// A text that is mostly the same as in the row before: then no other is made.
    func text(_ column: Int32, like last: inout String?) -> String? {
        if isNull(column) { return nil }
        return unsafe withBytes(of: column) { bytes in
            if let last, unsafe last.utf8.hasSameBytes(as: bytes) { return last }
            let text = unsafe String(decoding: bytes, as: UTF8.self)
            last = text
            return text
        }
    }

    func bytes(_ column: Int32) -> [UInt8] {
        unsafe withBytes(of: column) { unsafe Array($0) }
    }

    func optionalBytes(_ column: Int32) -> [UInt8]? {
        isNull(column) ? nil : bytes(column)
    }

    /// How many bytes a text or blob has.
    func byteCount(_ column: Int32) -> Int {
        unsafe Int(sqlite3_column_bytes(handle, column))
    }

    /// `unsafe`: the bytes are SQLite's and valid until the statement moves on; no body here keeps them.
    private func withBytes<Value>(of column: Int32, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        // The pointer is asked for first: it settles the form of the value, whose length then follows.
        let start = unsafe sqlite3_column_blob(handle, column)
        return unsafe body(UnsafeRawBufferPointer(start: start, count: byteCount(column)))
    }
}
