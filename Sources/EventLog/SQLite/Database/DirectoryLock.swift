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
            throw Self.unopened(path, in: directory, errno)
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

    /// Why a file of a directory cannot be opened. A directory that belongs to another user, as one that a container is given
    /// does, is the first thing that goes wrong for many: the message has the command.
    private static func unopened(_ path: String, in directory: String, _ reason: Int32) -> EventLogError {
        let user = geteuid()
        guard reason == EACCES, user != 0 else {
            let message = "\(path) cannot be opened: \(SystemError.reason(reason))."
            return EventLogError(code: .unwritable, message: message)
        }
        let message = "User \(user) may not write to \(directory): chown -R \(user) \(directory) lets it."
        return EventLogError(code: .unwritable, message: message)
    }

    /// Lets go of the directory.
    func release() {
        if let file = descriptor.withLock({ $0.take() }) { close(file) }
    }

    deinit {
        release()
    }
}
