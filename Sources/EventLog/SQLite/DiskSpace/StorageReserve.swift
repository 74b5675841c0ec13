import Foundation
import Posix

/// A file that keeps some space on the disk for what must be written also when there is none left: the changes by which
/// somebody makes space (retention, deleting a topic), and the removing itself. It is given up then, and made again when
/// there is space for it.
struct StorageReserve: Sendable {
    let directory: String

    private var path: String { directory + "/clarion.reserve" }

    /// The bytes of the file. A step of maintenance writes about as much to the write-ahead log at the most.
    static let size = 1 << 20

    /// The bytes that must be left beside the file while posts are taken.
    static let margin = 1 << 17

    /// Whether the file is there and whole.
    var isThere: Bool {
        FileStatus(notFollowing: path).map { $0.size >= StorageReserve.size } ?? false
    }

    /// The bytes of the database file beside it; nil if there is none.
    var databaseSize: Int? { FileStatus(of: LogFile(directory: directory).path)?.size }

    /// Makes the file, if it is not there.
    /// - Parameter margin: the bytes that must be left beside it.
    /// - Returns: whether it is there now. It is not if there is no space for it.
    /// - Throws: ``EventLogError`` with code `log-unwritable` if something else is in the way.
    func make(leaving margin: Int = StorageReserve.margin) throws(EventLogError) -> Bool {
        if isThere { return true }
        guard let available, available >= StorageReserve.size + margin else { return false }
        // What a link leads to is not to be overwritten.
        if FileStatus(notFollowing: path)?.kind == S_IFLNK { giveUp() }
        do throws(SystemError) {
            // Without waiting for the other end of a pipe.
            let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOFOLLOW
            let file = try FileDescriptor(path: path, flags: flags)
            defer { file.close() }
            // The space, not only the size.
            let reason = posix_fallocate(file.number, 0, off_t(StorageReserve.size))
            guard reason == 0 else { throw SystemError("posix_fallocate", reason) }
            return true
        } catch {
            giveUp()
            if Self.isWantOfSpace(error.number) { return false }
            throw .unopened(path, error.number, with: "chown -R", directory)
        }
    }

    func giveUp() {
        // `unsafe`: unlink(2) reads the path.
        unsafe unlink(path)
    }

    /// A quota that is used up, and a file that may not become larger (RLIMIT_FSIZE), are no different from a full disk.
    static func isWantOfSpace(_ number: Int32) -> Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

    /// The bytes that may still be written to the file system; nil if it does not say.
    var available: Int? {
        fileSystem.map { status in
            Int(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
        }
    }

    /// Whether no file can be made, however much space there is. Where files are not counted there are none at all.
    var hasNoInodes: Bool { fileSystem.map { $0.f_files > 0 && $0.f_favail == 0 } ?? false }

    private var fileSystem: statvfs? {
        var status = statvfs()
        // `unsafe`: statvfs(3) fills the structure that it is lent.
        return unsafe statvfs(directory, &status) == 0 ? status : nil
    }
}
