import Foundation
import Posix

/// Where a copy of a log may be put: in no place where a log has a file of its own, and where nothing but a file is
/// replaced.
struct BackupTarget {
    let path: String
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
    /// - Throws: ``EventLogError`` with code `copy-unwritable`.
    func claim(besides log: LogFile) throws(EventLogError) -> DirectoryLock? {
        if path.isEmpty { throw EventLogError(code: .copyUnwritable, message: "The copy has no name.") }
        try checkKind()
        guard identity(of: path) != identity(of: log.path) else { throw unfit("is the log itself") }
        let isOfLog = identity(of: folder) == identity(of: log.directory)
        let isOfHub = isOfLog || FileManager.default.fileExists(atPath: folder + "/clarion.lock")
        if isOfHub, name.hasPrefix("clarion."), name != "clarion.db" { throw unfit("is one of the files of a log") }
        // SQLite would take it for the copy's: what is in it would be laid over the copy.
        for end in ["-wal", "-shm", "-journal"] where FileManager.default.fileExists(atPath: path + end) {
            throw unfit("was in use, and \(path + end) is left of it: remove both first, if nobody needs them")
        }
        guard name == "clarion.db" else { return nil }
        do {
            return try DirectoryLock(of: folder, isNew: false)
        } catch {
            throw error.code == .locked ? unfit("is the log of a hub that runs") : unfit(error.message)
        }
    }

    /// The name that follows would take the place of a device, too.
    private func checkKind() throws(EventLogError) {
        switch FileStatus(notFollowing: path)?.kind {
        case nil, S_IFREG: return
        case S_IFLNK: throw unfit("is a symbolic link: name the file that it leads to, or remove it")
        case S_IFDIR: throw unfit("is a folder")
        default: throw unfit("is no file, but a pipe, a socket or a device, which a copy cannot be put into")
        }
    }

    private func identity(of path: String) -> [UInt64]? { FileStatus(of: path)?.identity }

    private func unfit(_ reason: String) -> EventLogError {
        EventLogError(code: .copyUnwritable, message: "\(path) \(reason).")
    }
}
