import Foundation
import Locking
import Posix

/// Holds a directory for one log: flock(2) on a file in it. The kernel lets go of it when the process dies, however it
/// dies.
final class DirectoryLock: Sendable {
    /// Nil once released.
    private let descriptor: Lock<Int32?>

    /// Takes the lock, without waiting for it.
    /// - Parameter isNew: whether the directory may be that of a new log; if not, nothing is made, and the lock is nil where
    ///   no log ever was.
    /// - Throws: ``EventLogError`` with code `log-locked` or `log-unwritable`.
    init?(of directory: String, isNew: Bool) throws(EventLogError) {
        let path = directory + "/clarion.lock"
        // Whoever else may write to the directory can put a pipe there, whose opening would wait for its other end.
        let flags = (isNew ? O_RDWR | O_CREAT : O_RDONLY) | O_NONBLOCK | O_CLOEXEC
        // `unsafe`: a variadic C function; the mode is given because O_CREAT asks for it.
        let file = unsafe open(path, flags, 0o600)
        guard file >= 0 else {
            if !isNew, errno == ENOENT { return nil }
            throw EventLogError.unopened(path, errno, with: "chown -R", directory)
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            close(file)
            throw isTaken
                ? EventLogError(code: .locked, message: "Another log has \(directory) open.")
                : EventLogError(code: .unwritable, message: "\(path) cannot be locked.")
        }
        descriptor = Lock(file)
    }

    /// Lets go of the directory.
    func release() {
        if let file = descriptor.withLock({ $0.take() }) { close(file) }
    }

    deinit {
        release()
    }
}

extension EventLogError {
    /// Why a file cannot be opened. One that belongs to another user, as a directory does that a container is given, is the
    /// first thing that goes wrong for many: the message has the command.
    ///
    /// - Parameters:
    ///   - command: what gives files to a user, as a shell knows it.
    ///   - files: what it is to give.
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
