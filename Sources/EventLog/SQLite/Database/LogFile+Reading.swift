import Foundation
internal import GRDB
import Posix

extension LogFile {
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
}
