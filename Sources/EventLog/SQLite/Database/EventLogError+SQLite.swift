import Foundation
internal import GRDB

extension EventLogError {
    static let nobodyWaits = EventLogError(code: .failed, message: "Nobody waits for it any more.")
    static let isFull = EventLogError(code: .storageFull, message: "There is no room left to write to.")

    static let diskFails = EventLogError(
        code: .diskFailed,
        message: "The log's disk fails (input/output error): it may be that nothing is wrong with the files."
    )

    /// Nothing is written to it any more: what followed what is gone, nobody would find (``WriteAheadLogFile``).
    static let isCut = EventLogError(
        code: .missing,
        message: "clarion.db-wal was emptied or cut while the hub runs: what it had is lost. Restart the hub."
    )

    /// What an error of SQLite means for a log; an error of this module stays what it is. To be asked at once, on the thread
    /// that met it: SQLite knows ENOSPC alone as a full disk, and calls damaged what a disk does not read, so `errno` says more.
    init(sqlite error: any Error) {
        let number = errno
        if let error = error as? EventLogError {
            self = error
            return
        }
        let failure = error as? DatabaseError
        let reason = failure?.message.map { ": \($0.inOneLine)" } ?? ""
        let isCut = failure?.extendedResultCode == .SQLITE_IOERR_SHORT_READ
        let (code, message): (Code, String) =
            switch failure?.resultCode {
            case _ where failure?.isWantOfSpace(number) ?? false: (.storageFull, EventLogError.isFull.message)
            // Of a database file SQLite does not tell it.
            case _ where isCut: (.missing, EventLogError.isCut.message)
            case _ where failure?.isOfDisk(number) ?? false: (.diskFailed, EventLogError.diskFails.message)
            case .SQLITE_CANTOPEN where number == EMFILE || number == ENFILE: (.overloaded, "Too many files are open.")
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: (.corrupt, "The log's file is damaged\(reason).")
            case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
                (.unwritable, "The log's file cannot be opened or written\(reason).")
            default: (.failed, "The log's database failed\(reason).")
            }
        self.init(code: code, message: message, cause: error)
    }
}

extension DatabaseError {
    /// What writing to a file fails with.
    static let ofWriting: [ResultCode] = [
        .SQLITE_IOERR_WRITE, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_TRUNCATE, .SQLITE_IOERR_DIR_FSYNC,
    ]

    fileprivate func isWantOfSpace(_ number: Int32) -> Bool {
        // The latter: the file beside the write-ahead log could not be made larger.
        if [.SQLITE_FULL, .SQLITE_IOERR_SHMSIZE].contains(extendedResultCode) { return true }
        return Self.ofWriting.contains(extendedResultCode) && StorageReserve.isWantOfSpace(number)
    }

    /// Whether the disk failed, and not memory or a lock.
    fileprivate func isOfDisk(_ number: Int32) -> Bool {
        if resultCode == .SQLITE_CORRUPT { return number == EIO }
        return (Self.ofWriting + [.SQLITE_IOERR_READ, .SQLITE_IOERR_CORRUPTFS]).contains(extendedResultCode)
    }
}
