import Foundation

/// Where a copy of a log may be put: in no place where a log has a file of its own.
struct BackupTarget {
    private let path: String
    private let folder: String
    private let name: String

    init(_ path: String) {
        self.path = path
        let url = URL(filePath: path)
        (folder, name) = (url.deletingLastPathComponent().path, url.lastPathComponent)
    }

    /// Sees that the copy takes the place of nothing that a log needs, and has nobody begin to use its folder meanwhile.
    /// - Parameter log: the one that is copied.
    /// - Returns: the lock of a folder that a hub may be started with; nil if it is none.
    /// - Throws: ``EventLogError`` with code `log-unwritable`, or `log-locked` if a hub has the folder open.
    func claim(besides log: LogFile) throws(EventLogError) -> DirectoryLock? {
        guard Self.identity(of: path) != Self.identity(of: log.path) else { throw unfit("is the log itself") }
        let isOfLog = Self.identity(of: folder) == Self.identity(of: log.directory)
        let isOfHub = isOfLog || FileManager.default.fileExists(atPath: folder + "/clarion.lock")
        if isOfHub, name.hasPrefix("clarion."), name != "clarion.db" {
            throw unfit("is one of the files of a log")
        }
        // SQLite would take it for the copy's: what is in it would be laid over the copy.
        for end in ["-wal", "-shm", "-journal"] where FileManager.default.fileExists(atPath: path + end) {
            throw unfit("was in use, and \(path + end) is left of it: remove both first, if nobody needs them")
        }
        return name == "clarion.db" ? try DirectoryLock(of: folder, isNew: false) : nil
    }

    private func unfit(_ reason: String) -> EventLogError {
        EventLogError(code: .unwritable, message: "\(path) \(reason).")
    }

    /// Which file it is, whatever it is called; nil if there is none.
    private static func identity(of path: String) -> [UInt64]? {
        var status = stat()
        // `unsafe`: stat(2) fills the structure that it is lent.
        return unsafe stat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
    }
}
