internal import GRDB

extension EventLogError {
    /// The log is closed.
    static let isClosed = EventLogError(code: .closed, message: "The log is closed.")
    static let nobodyWaits = EventLogError(code: .failed, message: "Nobody waits for it any more.")

    /// There is no space.
    static let isFull = EventLogError(code: .storageFull, message: "There is no room left to write to.")

    /// What an error of SQLite means for a log; an error of this module stays what it is.
    init(sqlite error: any Error) {
        if let error = error as? EventLogError {
            self = error
            return
        }
        let failure = error as? DatabaseError
        // What SQLite says of it.
        let reason = failure?.message.map { ": \($0.inOneLine)" } ?? ""
        // The latter: the file beside the write-ahead log could not be made larger.
        let isFull = failure?.resultCode == .SQLITE_FULL || failure?.extendedResultCode == .SQLITE_IOERR_SHMSIZE
        let (code, message): (Code, String) =
            switch failure?.resultCode {
            case _ where isFull: (.storageFull, EventLogError.isFull.message)
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: (.corrupt, "The log's file is damaged\(reason).")
            case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
                (.unwritable, "The log's file cannot be opened or written\(reason).")
            default: (.failed, "The log's database failed\(reason).")
            }
        self.init(code: code, message: message, cause: error)
    }
}
