internal import GRDB
import Posix

extension LogFile {
    /// Sees that a copy has no write-ahead log of another log beside it, which would be laid over it.
    /// - Throws: ``EventLogError`` with code `log-foreign`.
    func checkOverlay() throws {
        // What cannot be read, SQLite has to tell.
        while try isCopy(), (try? LeftWriteAheadLog.hasTransaction(path + "-wal")) ?? true {
            let before = FileStatus(of: path)
            if try isContinued() { return }
            // A hub that moves its write-ahead log into it meanwhile has read a part of it as it was, and a part as it is.
            guard let before, let after = FileStatus(of: path), after.isUnchanged(since: before) else { continue }
            throw EventLogError(
                code: .foreign,
                message: "\(path) is a backup, and \(path)-wal is of another log: move it away, with \(path)-shm.",
                advice: "Nothing was changed."
            )
        }
    }

    /// Whether what is beside a copy comes of opening it.
    private func isContinued() throws -> Bool {
        do {
            return try reading { database in
                try database.read { db in
                    let found = try CopyProgress(db)
                    let copy = try Self.read("\(Self.uri(of: path))?immutable=1") { file in
                        try file.read { try CopyProgress($0, goingOnAfter: found.restoration?.position) }
                    }
                    guard found.continues(copy) else { return false }
                    // What was begun on one copy can be beside another of the same log, and this comes to pass once in the life
                    // of a copy at most: so all pages are looked at.
                    return try String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok"
                }
            }
        } catch let error as EventLogError where error.code == .foreign {
            return false
        } catch let error as DatabaseError
            where [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR].contains(error.resultCode) && isReadable
        {
            // Pages of two logs fit together in no way.
            return false
        }
    }
}
