internal import GRDB

extension EventLogError {
    /// The log is closed.
    static let isClosed = EventLogError(code: EventLogError.closed, message: "The log is closed.")

    /// There is no room.
    static let isFull = EventLogError(
        code: EventLogError.storageFull,
        message: "There is no room left to write to."
    )

    /// What an error of SQLite means for a log; an error of this module stays what it is.
    init(sqlite error: any Error) {
        if let error = error as? EventLogError {
            self = error
            return
        }
        let failure = error as? DatabaseError
        // What SQLite says of it.
        let reason = failure?.message.map { ": \($0.inOneLine)" } ?? ""
        // The file beside the write-ahead log could not be made larger.
        if failure?.extendedResultCode == .SQLITE_IOERR_SHMSIZE {
            self.init(code: EventLogError.storageFull, message: "There is no room left to write to.", cause: error)
            return
        }
        switch failure?.resultCode {
        case .SQLITE_FULL:
            self.init(code: EventLogError.storageFull, message: "There is no room left to write to.", cause: error)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self.init(code: EventLogError.corrupt, message: "The log's file is damaged\(reason).", cause: error)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
            self.init(
                code: EventLogError.unwritable,
                message: "The log's file cannot be opened or written\(reason).",
                cause: error
            )
        default:
            self.init(code: EventLogError.failed, message: "The log's database failed\(reason).", cause: error)
        }
    }
}
