import Foundation
internal import GRDB
import Posix

/// The database file of a log in its directory: made whole or not at all, and looked at before it is written to.
struct LogFile {
    let directory: String

    var path: String { directory + "/clarion.db" }

    private var draftPath: String { path + ".new" }

    /// Up to which size, in bytes, every page is checked at opening (about 0.1 s); beyond, the roots of the tables.
    private static let thoroughSize = 32 << 20

    /// Makes the directory, and those above it that are not there, for this user alone, and sees that no other file is where
    /// the log is to be.
    /// - Throws: ``EventLogError`` with code `log-foreign` or `log-unwritable`, before anything is written.
    func makeDirectory() throws(EventLogError) {
        let slashes = directory.utf8.indices.dropFirst().filter { directory.utf8[$0] == UInt8(ascii: "/") }
        for end in slashes + [directory.endIndex] {
            let folder = String(directory[..<end])
            // `unsafe`: mkdir(2) reads the path. Another process may make it at this moment, too.
            guard FileStatus(of: folder) == nil, unsafe mkdir(folder, 0o700) != 0 else { continue }
            var reason = errno
            if reason == EEXIST {
                guard FileStatus(of: folder) == nil else { continue }
                // It is a link, which says more.
                reason = errno
            }
            let isDangling = reason == ENOENT && FileStatus(notFollowing: folder) != nil
            let words = isDangling ? "\(folder) is a symbolic link to what is not there" : SystemError.reason(reason)
            throw .unmade("The directory \(directory)", reason, words)
        }
        let kind = FileStatus(of: directory)?.kind
        guard kind == S_IFDIR else {
            let what = kind == S_IFREG ? "a file, not a directory" : "no directory"
            throw EventLogError(code: .unwritable, message: "\(directory) is \(what).")
        }
        if FileStatus(notFollowing: path) != nil { try checkHeader() }
    }

    /// Makes an empty log if there is none, and otherwise sees that the file is a log and sound. It does not change
    /// a file that it refuses.
    /// - Throws: ``EventLogError`` with code `log-foreign`, `log-corrupt` or `log-unwritable`.
    func prepare() throws(EventLogError) {
        guard FileManager.default.fileExists(atPath: path) else { return try make() }
        try checkAccess()
        try doubting {
            try checkHeader()
            try checkOverlay()
            try reading { try $0.read(check) }
        }
    }

    /// SQLite would open a file that this user may only read all the same, and says of none which it is. One that root has
    /// put there, such as a backup, belongs to root.
    private func checkAccess() throws(EventLogError) {
        for file in ["", "-wal", "-shm"].map({ path + $0 }) where FileStatus(of: file) != nil {
            // `unsafe`: access(2) reads the path.
            guard unsafe access(file, R_OK | W_OK) == 0 else { throw unopened(file, errno) }
        }
    }

    func unopened(_ file: String, _ reason: Int32) -> EventLogError {
        .unopened(file, reason, with: "chown", path + "*")
    }

    /// Under another name until it is complete, so that no crash leaves half a log behind, and the header of the file
    /// itself, not only its write-ahead log, says from the beginning whose it is.
    private func make() throws(EventLogError) {
        guard !FileManager.default.fileExists(atPath: path + "-wal") else {
            throw EventLogError(code: .corrupt, message: "\(path) is missing, but its write-ahead log is there.")
        }
        do {
            for leftover in [draftPath, draftPath + "-journal"] where FileStatus(notFollowing: leftover) != nil {
                try FileManager.default.removeItem(atPath: leftover)
            }
            // Webhooks' secrets are in it, so it is its owner's alone, and what SQLite makes beside it as well.
            do throws(SystemError) {
                try FileDescriptor(path: draftPath, flags: O_WRONLY | O_CREAT | O_EXCL).close()
            } catch {
                throw EventLogError.unmade(draftPath, error.number, error.reason)
            }
            let draft = try DatabaseQueue(path: draftPath)
            try draft.writeWithoutTransaction { db in
                // Before the first table: pages that become free can be given back (RetentionSweep).
                try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
                try db.execute(sql: "PRAGMA application_id = \(LogSchema.applicationID)")
            }
            try SchemaVersion.migrator.migrate(draft)
            try draft.close()
            try FileManager.default.moveItem(atPath: draftPath, toPath: path)
        } catch {
            throw EventLogError(sqlite: error)
        }
    }

    private func check(_ db: Database) throws {
        let version = try SchemaVersion.version(of: db)
        if FileStatus(of: path)?.size ?? 0 <= LogFile.thoroughSize {
            let finding = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "nothing"
            guard finding == "ok" else { throw damaged(finding.inOneLine) }
        }
        let comparison = try SchemaComparison(db, version: version)
        if let missing = comparison.missing.first { throw damaged("the \(missing) is missing") }
        if let foreign = comparison.foreign.first { throw damaged("the \(foreign) is not of this program") }
        for table in ["log", "topic", "event", "observer", "delivery", "delivery_stats"] {
            _ = try Row.fetchOne(db, sql: "SELECT * FROM \(table) LIMIT 1")
        }
    }

    private func damaged(_ how: String) -> EventLogError {
        EventLogError(code: .corrupt, message: "\(path) is damaged: \(how).")
    }
}
