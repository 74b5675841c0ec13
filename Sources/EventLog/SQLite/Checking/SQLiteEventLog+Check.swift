import Foundation
internal import GRDB

extension SQLiteEventLog {
    /// Verifies a log that no process has open, and changes nothing: that its file is whole, every event can be read and
    /// is on a topic with a name, counters say what there is, deliveries belong to events and observers.
    ///
    /// It reads everything, which takes about a second for 100 MB.
    /// - Parameter directory: where the log is kept.
    /// - Returns: what there is and what is wrong with it.
    /// - Throws: ``EventLogError`` with code `log-missing` if there is no log, `log-locked` if it is open, `log-foreign` if
    ///   the file is no log of this program or of a later version, `log-corrupt` if it cannot be read at all,
    ///   `log-unwritable`, `log-failed`.
    public static func check(directory: String) throws(EventLogError) -> LogReport {
        let file = LogFile(directory: directory)
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw EventLogError(
                code: EventLogError.missing,
                message: FileManager.default.fileExists(atPath: file.path + "-wal")
                    ? "\(file.path) is missing, but its write-ahead log is there."
                    : "There is no log in \(directory): \(file.path) does not exist."
            )
        }
        do {
            let lock = try DirectoryLock(ofExisting: directory)
            defer { lock?.release() }
            let bytes = try file.size()
            try file.checkHeader()
            var report = LogReport()
            report.fileBytes = Int64(bytes + ((try? LogFile.size(of: file.path + "-wal")) ?? 0))
            return try file.readOnly { db in
                var inspection = LogInspection(db: db, report: report)
                try inspection.run()
                return inspection.report
            }
        } catch {
            throw EventLogError(sqlite: error)
        }
    }
}

extension LogFile {
    /// Runs a body with a connection that cannot write. Files that SQLite makes beside the database for that are removed.
    fileprivate func readOnly<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let besides = [path + "-wal", path + "-shm"].filter { !FileManager.default.fileExists(atPath: $0) }
        defer { for made in besides { try? FileManager.default.removeItem(atPath: made) } }
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? database.close() }
        // Without a transaction: after what the check has found, SQLite might not end it. Nobody else writes.
        return try database.unsafeRead(body)
    }
}
