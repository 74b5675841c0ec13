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
/// `@safe`: the handle is valid for as long as the object, which finalizes it. Only ``ColumnValue`` uses it beside, within a
/// call.
@safe final class PreparedStatement {
    /// Owns the handle: finalizes it when released.
    private let statement: Statement
    let handle: OpaquePointer
    /// Why a parameter could not be bound: it would be NULL, and the next step does not run.
    private var fault: Int32?

    fileprivate init(_ statement: Statement) {
        self.statement = statement
        unsafe handle = statement.sqliteStatement
    }

    // MARK: Binding. It fails for want of memory only, which the next step reports.

    /// Binds parameters, from the first on or another.
    @discardableResult
    func bind<each Value: ColumnValue>(_ values: repeat each Value, from first: Int32 = 1) -> PreparedStatement {
        var index = first
        for value in repeat each values {
            value.bind(to: self, at: index)
            index += 1
        }
        return self
    }

    func bind(_ value: some ColumnValue, at index: Int32) { value.bind(to: self, at: index) }

    /// Runs to the end with a blob bound where it lies, without a copy.
    func run(binding bytes: [UInt8], at index: Int32) throws {
        if bytes.isEmpty {
            bytes.bind(to: self, at: index)
            return try run()
        }
        // `unsafe`: SQLite is lent the bytes for this run only; it ends, and they are unbound, before the closure does.
        try unsafe bytes.withUnsafeBytes { buffer in
            unsafe bound(sqlite3_bind_blob64(handle, index, buffer.baseAddress, UInt64(buffer.count), nil))
            defer { bindNull(at: index) }
            try run()
        }
    }

    func bindNull(at index: Int32) { unsafe _ = sqlite3_bind_null(handle, index) }

    /// Takes in what SQLite has said of binding a parameter.
    func bound(_ code: Int32) { if code != SQLITE_OK { fault = code } }

    // MARK: Running

    /// Moves to the next row; false at the end.
    func step() throws -> Bool {
        switch unsafe fault.take() ?? sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            // `unsafe`: the message is SQLite's own, valid until the next call on the connection, and copied here.
            let message = unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
        }
    }

    /// Ends the run, so that the statement holds no snapshot or lock and may be bound anew.
    func reset() { unsafe _ = sqlite3_reset(handle) }

    func run() throws {
        defer { reset() }
        while try step() {}
    }

    /// Runs to the first row and reads from it; nil if there is none.
    func first<Value>(_ read: (PreparedStatement) throws -> Value) throws -> Value? {
        defer { reset() }
        return try step() ? read(self) : nil
    }

    /// Runs to the end, reading a value from each row.
    func map<Value>(_ read: (PreparedStatement) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        try forEach { values.append(try read($0)) }
        return values
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

    /// The value of a column, of the type that is asked for. NULL is nil of an optional, and otherwise 0 or empty: where it
    /// may be, and the type would be inferred, say `as Int64?`.
    subscript<Value: ColumnValue>(_ column: Int32) -> Value { Value(self, column) }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

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

    /// `unsafe`: the bytes are SQLite's and valid until the statement moves on; no body here keeps them.
    func withBytes<Value>(of column: Int32, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        // The pointer is asked for first: it settles the form of the value, whose length then follows.
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }
}

extension Database {
    /// A statement that is kept for long: it lives as long as the object, which must end before the database is closed.
    func compiled(_ sql: String) throws -> PreparedStatement { PreparedStatement(try makeStatement(sql: sql)) }

    /// A statement from the connection's cache, with its parameters bound: what is run often is compiled once. It returns there,
    /// reset, with ``PreparedStatement/reset()``.
    func cached<each Value: ColumnValue>(_ sql: String, _ values: repeat each Value) throws -> PreparedStatement {
        PreparedStatement(try cachedStatement(sql: sql)).bind(repeat each values)
    }

    /// Runs a statement from the cache to the end.
    func run<each Value: ColumnValue>(_ sql: String, _ values: repeat each Value) throws {
        try cached(sql, repeat each values).run()
    }

    /// The number that a statement from the cache answers; 0 if it answers none.
    func number<each Value: ColumnValue>(_ sql: String, _ values: repeat each Value) throws -> Int64 {
        try cached(sql, repeat each values).first { $0.integer(0) } ?? 0
    }
}
