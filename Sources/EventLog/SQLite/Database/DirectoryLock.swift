import Foundation
import Locking
import Posix

/// Holds a directory for one log: flock(2) on a file in it, and a lock on the log. The kernel lets go of both when the
/// process dies, however it dies.
final class DirectoryLock: Sendable {
    /// Empty once released.
    private let files: Lock<[FileDescriptor]>

    /// Takes the lock, without waiting for it.
    /// - Parameter isNew: whether the directory may be that of a new log; if not, nothing is made, and the lock is nil where
    ///   no log ever was.
    /// - Throws: ``EventLogError`` with code `log-locked` or `log-unwritable`.
    init?(of directory: String, isNew: Bool) throws(EventLogError) {
        let path = directory + "/clarion.lock"
        let file: FileDescriptor
        do {
            // Whoever else may write to the directory can put a pipe there, whose opening would wait for its other end.
            file = try FileDescriptor(path: path, flags: (isNew ? O_RDWR | O_CREAT : O_RDONLY) | O_NONBLOCK)
        } catch {
            if !isNew, error.number == ENOENT { return nil }
            throw EventLogError.unopened(path, error.number, with: "chown -R", directory)
        }
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            file.close()
            throw isTaken ? .locked(directory) : EventLogError(code: .unwritable, message: "\(path) cannot be locked.")
        }
        files = Lock([file])
    }

    /// Takes the log as well, which two directories can have (a hard link), and which is in use also when somebody has
    /// removed the directory's lock. Without effect if it is taken, or is not there yet. To be called before SQLite opens it, whose
    /// locks end when a file of the process is closed.
    /// - Throws: ``EventLogError`` with code `log-locked`.
    func take(_ log: LogFile) throws(EventLogError) {
        guard files.withLock({ $0.count }) == 1 else { return }
        // What cannot be opened SQLite has to tell.
        guard let file = try? FileDescriptor(path: log.path, flags: O_RDWR | O_NONBLOCK) else { return }
        guard file.lock() else {
            file.close()
            throw .locked(log.path)
        }
        files.withLock { $0.append(file) }
    }

    func release() {
        files.withLock { files in
            for file in files { file.close() }
            files = []
        }
    }

    deinit {
        release()
    }
}

extension EventLogError {
    static func locked(_ path: String) -> EventLogError {
        EventLogError(code: .locked, message: "Another log has \(path) open.")
    }

    /// Why a file cannot be opened. One that belongs to another user, as a directory does that a container is given, is the
    /// first thing that goes wrong for many: the message has the command that gives it the files.
    static func unopened(_ path: String, _ reason: Int32, with command: String, _ files: String) -> EventLogError {
        if StorageReserve.isWantOfSpace(reason) { return unmade(path, reason, SystemError.reason(reason)) }
        let user = geteuid()
        let message =
            reason == EACCES && user != 0
            ? "User \(user) may not open \(path): \(command) \(user) \(files) lets it."
            : "\(path) cannot be opened: \(SystemError.reason(reason))."
        return EventLogError(code: .unwritable, message: message)
    }

    /// Why something cannot be made: in words, beside the number that says whether it is for want of space.
    static func unmade(_ what: String, _ reason: Int32, _ words: String) -> EventLogError {
        let code = StorageReserve.isWantOfSpace(reason) ? Code.storageFull : .unwritable
        return EventLogError(code: code, message: "\(what) cannot be made: \(words).")
    }
}
