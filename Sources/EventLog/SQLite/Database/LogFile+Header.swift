import Foundation
import Posix

extension LogFile {
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
