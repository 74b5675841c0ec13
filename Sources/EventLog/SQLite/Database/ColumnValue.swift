internal import GRDBSQLite

/// What a parameter or a column of a statement may be.
protocol ColumnValue {
    init(_ row: PreparedStatement, _ column: Int32)
    func bind(to statement: PreparedStatement, at index: Int32)
}

extension Int64: ColumnValue {
    init(_ row: PreparedStatement, _ column: Int32) { self = row.integer(column) }

    func bind(to statement: PreparedStatement, at index: Int32) {
        unsafe statement.bound(sqlite3_bind_int64(statement.handle, index, self))
    }
}

/// SQLite makes a copy: texts are short.
extension String: ColumnValue {
    init(_ row: PreparedStatement, _ column: Int32) {
        self = unsafe row.withBytes(of: column) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    func bind(to statement: PreparedStatement, at index: Int32) {
        // `unsafe`: SQLITE_TRANSIENT has SQLite copy the bytes before the closure that lends them ends.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        unsafe withCString { bytes in
            unsafe statement.bound(sqlite3_bind_text(statement.handle, index, bytes, Int32(utf8.count), transient))
        }
    }
}

/// SQLite makes a copy: for blobs that are short.
extension [UInt8]: ColumnValue {
    init(_ row: PreparedStatement, _ column: Int32) {
        self = unsafe row.withBytes(of: column) { unsafe Array($0) }
    }

    func bind(to statement: PreparedStatement, at index: Int32) {
        // `unsafe`: as above.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        unsafe withUnsafeBytes { buffer in
            // A null pointer of length 0 would be bound as NULL.
            let code =
                unsafe buffer.isEmpty
                ? sqlite3_bind_zeroblob(statement.handle, index, 0)
                : sqlite3_bind_blob64(statement.handle, index, buffer.baseAddress, UInt64(buffer.count), transient)
            statement.bound(code)
        }
    }
}

/// Nil is NULL.
extension Optional: ColumnValue where Wrapped: ColumnValue {
    init(_ row: PreparedStatement, _ column: Int32) { self = row.isNull(column) ? nil : Wrapped(row, column) }

    func bind(to statement: PreparedStatement, at index: Int32) {
        if let self { self.bind(to: statement, at: index) } else { statement.bindNull(at: index) }
    }
}

// MARK: What is stored as one of these

extension Int: ColumnValue {
    init(_ row: PreparedStatement, _ column: Int32) { self.init(row.integer(column)) }
    func bind(to statement: PreparedStatement, at index: Int32) { Int64(self).bind(to: statement, at: index) }
}

extension Bool: ColumnValue {
    init(_ row: PreparedStatement, _ column: Int32) { self = row.integer(column) != 0 }
    func bind(to statement: PreparedStatement, at index: Int32) { Int64(self ? 1 : 0).bind(to: statement, at: index) }
}

extension Timestamp: ColumnValue {
    init(_ row: PreparedStatement, _ column: Int32) { self.init(milliseconds: row.integer(column)) }
    func bind(to statement: PreparedStatement, at index: Int32) { milliseconds.bind(to: statement, at: index) }
}

extension Position: ColumnValue {
    init(_ row: PreparedStatement, _ column: Int32) { self.init(row.integer(column)) }
    func bind(to statement: PreparedStatement, at index: Int32) { rawValue.bind(to: statement, at: index) }
}

/// By its name, which was checked before it was stored.
extension Topic: ColumnValue {
    init(_ row: PreparedStatement, _ column: Int32) { self.init(stored: row[column]) }
    func bind(to statement: PreparedStatement, at index: Int32) { name.bind(to: statement, at: index) }
}

extension ObserverID: ColumnValue {
    init(_ row: PreparedStatement, _ column: Int32) { self.init(rawValue: row[column]) }
    func bind(to statement: PreparedStatement, at index: Int32) { rawValue.bind(to: statement, at: index) }
}
