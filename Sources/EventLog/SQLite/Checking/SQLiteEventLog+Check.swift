import Foundation
internal import GRDB
import Posix

extension SQLiteEventLog {
    /// Verifies a log that no process has open, and changes nothing: that its file is whole, every event can be read and
    /// is on a topic with a name, counters say what there is, deliveries belong to events and observers.
    ///
    /// It reads everything, which takes about a second for 100 MB.
    /// - Parameter directory: where the log is kept.
    /// - Returns: what there is and what is wrong with it.
    /// - Throws: ``EventLogError`` with code `log-missing` if there is no log, `log-locked` if it is open, `log-foreign` if
    ///   the file is no log of this program, of a later version, or a copy beside the write-ahead log of another log, `log-corrupt` if it cannot be read at all,
    ///   `log-unwritable`, `log-failed`.
    public static func check(directory: String) throws(EventLogError) -> LogReport {
        let file = LogFile(directory: directory)
        try file.checkExistence()
        return try file.doubting {
            let lock = try DirectoryLock(of: directory, isNew: false)
            defer { lock?.release() }
            try file.checkHeader()
            // Files that SQLite makes beside the database for reading are removed.
            let made = ["-wal", "-shm"].map { file.path + $0 }.filter { FileStatus(notFollowing: $0) == nil }
            defer { for path in made { try? FileManager.default.removeItem(atPath: path) } }
            try file.checkOverlay()
            var report = try inspect(file)
            if !report.findings.isEmpty {
                // As SQLite tells it, what a disk did not read may be any of them.
                if file.isReadable {
                    report = try inspect(file)
                } else {
                    report.findings.insert(EventLogError.diskFails.message, at: 0)
                }
            }
            return report
        }
    }

    private static func inspect(_ file: LogFile) throws -> LogReport {
        var report = LogReport()
        report.fileBytes = ["", "-wal"].reduce(0) { $0 + Int64(FileStatus(of: file.path + $1)?.size ?? 0) }
        // Without a transaction: after what the check has found, SQLite might not end it. Nobody else writes.
        return try file.reading { database in
            try database.unsafeRead { db in
                var inspection = LogInspection(db: db, report: report)
                try inspection.run()
                return inspection.report
            }
        }
    }
}
