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

    /// Runs what looks at the log, and once more if it finds damage: that is what SQLite calls it, too, if a disk has failed to
    /// read for a moment.
    func doubting<Value>(isAgain: Bool = false, _ look: () throws -> Value) throws(EventLogError) -> Value {
        do {
            return try look()
        } catch {
            let error = EventLogError(sqlite: error)
            guard error.code == .corrupt else { throw error }
            guard isReadable else { throw .diskFails }
            if isAgain { throw error }
        }
        return try doubting(isAgain: true, look)
    }

    /// SQLite would open a file that this user may only read all the same, and says of none which it is. One that root has
    /// put there, such as a backup, belongs to root.
    private func checkAccess() throws(EventLogError) {
        for file in ["", "-wal", "-shm"].map({ path + $0 }) where FileStatus(of: file) != nil {
            // `unsafe`: access(2) reads the path.
            guard unsafe access(file, R_OK | W_OK) == 0 else { throw unopened(file, errno) }
        }
    }

    private func unopened(_ file: String, _ reason: Int32) -> EventLogError {
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

    /// - Throws: ``EventLogError`` with code `log-missing` if there is no log, `log-unwritable` if that cannot be told.
    func checkExistence() throws(EventLogError) {
        guard FileStatus(notFollowing: path) == nil else { return }
        let reason = errno
        guard reason == ENOENT || reason == ENOTDIR else { throw .unopened(path, reason, with: "chown -R", directory) }
        throw EventLogError(
            code: .missing,
            message: FileManager.default.fileExists(atPath: path + "-wal")
                ? "\(path) is missing, but its write-ahead log is there."
                : "There is no log in \(directory): \(path) does not exist."
        )
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

    /// Runs a body with a connection that cannot write: it leaves the file as it is, whatever it finds.
    ///
    /// A log that nobody has open is read as a file that does not change, so that nothing is made beside it, also where
    /// nothing can be. If somebody has opened it meanwhile, the body is run again.
    func reading<Value>(_ body: (DatabaseQueue) throws -> Value) throws -> Value {
        if let before = statusAtRest {
            let result = Result { try Self.read("\(Self.uri(of: path))?immutable=1", body) }
            if let after = statusAtRest, after.isUnchanged(since: before) { return try result.get() }
        }
        do {
            return try Self.read(path, body)
        } catch let error as DatabaseError where [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode) {
            // `unsafe`: access(2) reads the path.
            guard unsafe access(directory, W_OK) != 0 else { throw error }
            let message = "\(path)-wal is there, with which a log is read only by who may write to \(directory)."
            throw EventLogError(code: .unwritable, message: message, cause: error)
        }
    }

    /// What it is at a moment at which nobody has it open, as far as its folder tells: there is no write-ahead log. Nil if
    /// somebody uses it, or did so to the last.
    private var statusAtRest: FileStatus? {
        for end in ["-wal", "-journal"] where FileManager.default.fileExists(atPath: path + end) { return nil }
        return FileStatus(of: path)
    }

    /// A path as a URI (<https://www.sqlite.org/uri.html>). An absolute one has an empty authority before it.
    static func uri(of path: String) -> String {
        let text = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
        return path.hasPrefix("/") ? "file://\(text)" : "file:\(text)"
    }

    /// Runs a body with a connection that cannot write.
    static func read<Value>(_ path: String, _ body: (DatabaseQueue) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.readonly = true
        // A checkpoint that begins the write-ahead log anew locks it for a moment.
        configuration.busyMode = .timeout(10)
        let database = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? database.close() }
        return try body(database)
    }

    /// Whether its bytes, also those of its write-ahead log, come from the disk. SQLite calls damaged what does not.
    var isReadable: Bool {
        ["", "-wal"].allSatisfy { end in
            guard let file = try? FileDescriptor(path: path + end, flags: O_RDONLY | O_NONBLOCK) else { return true }
            defer { file.close() }
            do throws(SystemError) {
                while try !file.read(atMost: 1 << 20).isEmpty {}
                return true
            } catch {
                return error.number != EIO
            }
        }
    }

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

    /// Whether the file itself says that it is a copy, whatever is in a write-ahead log.
    func isCopy() throws(EventLogError) -> Bool { CopyMark.isSet(inHeader: try header()) }

    func checkHeader() throws(EventLogError) { _ = try header() }

    /// The first 100 bytes (<https://www.sqlite.org/fileformat2.html#the_database_header>).
    /// - Throws: ``EventLogError`` with code `log-foreign` if they are of no log, or of one that lies in another directory: the
    ///   lock of this one keeps nobody out of it.
    private func header() throws(EventLogError) -> [UInt8] {
        if FileStatus(notFollowing: path)?.kind == S_IFLNK {
            throw EventLogError(
                code: .foreign,
                message: "\(path) is a symbolic link, by which two hubs could write to one log.",
                advice: "Give the folder that the log itself lies in with --data; nothing in this one was changed."
            )
        }
        let header: [UInt8]
        do {
            // Without waiting for the other end of a pipe.
            let file = try FileDescriptor(path: path, flags: O_RDONLY | O_NONBLOCK)
            defer { file.close() }
            header = try file.read(atMost: 100)
        } catch {
            // Of a directory nothing can be read.
            guard error.number == EISDIR else { throw error.number == EIO ? .diskFails : unopened(path, error.number) }
            header = []
        }
        guard header.count == 100, header.starts(with: "SQLite format 3\0".utf8),
            header[68..<72].reduce(0, { $0 << 8 | UInt32($1) }) == LogSchema.applicationID
        else {
            throw EventLogError(code: .foreign, message: "\(path) is not a log of this program.")
        }
        return header
    }
}
