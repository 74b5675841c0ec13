internal import GRDB
internal import GRDBSQLite

/// How long the write-ahead log of a connection is, told by SQLite after each commit
/// (<https://www.sqlite.org/c3ref/wal_hook.html>). While this stands the connection makes no checkpoints by itself.
///
/// To be made, read and stopped inside an access to the database.
///
/// `@safe`: the pointer is this object's own; SQLite writes to it only during a commit on the connection, and no more
/// after ``stop(_:)``, which must come before this object ends.
@safe final class WriteAheadLogWatch {
    private let length: UnsafeMutablePointer<Int32>

    init(_ db: Database) {
        unsafe length = .allocate(capacity: 1)
        unsafe length.initialize(to: 0)
        unsafe _ = sqlite3_wal_hook(
            db.sqliteConnection,
            { length, _, _, pages in
                unsafe length?.storeBytes(of: pages, as: Int32.self)
                return SQLITE_OK
            },
            length
        )
    }

    /// Pages in the log after the last commit, those among them that a checkpoint has copied already.
    var pages: Int { unsafe Int(length.pointee) }

    /// The log was emptied, which SQLite does not tell.
    func beginAnew() { unsafe length.pointee = 0 }

    func stop(_ db: Database) {
        unsafe _ = sqlite3_wal_hook(db.sqliteConnection, nil, nil)
    }

    deinit {
        unsafe length.deallocate()
    }
}
