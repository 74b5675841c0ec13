#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

import Locking

/// Holds a directory for one log: flock(2) on a file in it. The kernel lets go of it when the process dies, however it
/// dies.
final class DirectoryLock: Sendable {
    /// Nil once released.
    private let descriptor: Lock<Int32?>

    /// Takes the lock, without waiting for it.
    /// - Throws: ``EventLogError`` with code `log-locked` or `log-unwritable`.
    convenience init(of directory: String) throws(EventLogError) {
        let path = directory + "/clarion.lock"
        // `unsafe`: a variadic C function; the mode is given because O_CREAT asks for it.
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw Self.unopened(path, in: directory, errno)
        }
        try self.init(file, path: path, directory: directory)
    }

    /// Takes the lock of a directory that a log is or was in, without making a file; nil if none ever was.
    /// - Throws: ``EventLogError`` with code `log-locked` or `log-unwritable`.
    convenience init?(ofExisting directory: String) throws(EventLogError) {
        let path = directory + "/clarion.lock"
        // `unsafe`: a variadic C function.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.unopened(path, in: directory, errno)
        }
        try self.init(file, path: path, directory: directory)
    }

    private init(_ file: Int32, path: String, directory: String) throws(EventLogError) {
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            close(file)
            throw isTaken
                ? EventLogError(code: EventLogError.locked, message: "Another log has \(directory) open.")
                : EventLogError(code: EventLogError.unwritable, message: "\(path) cannot be locked.")
        }
        descriptor = Lock(file)
    }

    /// Why a file of a directory cannot be opened. A directory that belongs to another user, as one that a container is given
    /// does, is the first thing that goes wrong for many: they are told the command.
    private static func unopened(_ path: String, in directory: String, _ reason: Int32) -> EventLogError {
        let user = geteuid()
        guard reason == EACCES, user != 0 else {
            // `unsafe`: the text that strerror(3) lends is copied at once.
            let message = "\(path) cannot be opened: \(unsafe String(cString: strerror(reason)))."
            return EventLogError(code: EventLogError.unwritable, message: message)
        }
        let message = "User \(user) may not write to \(directory): chown -R \(user) \(directory) lets it."
        return EventLogError(code: EventLogError.unwritable, message: message)
    }

    /// Lets go of the directory.
    func release() {
        if let file = descriptor.withLock({ $0.take() }) { close(file) }
    }

    deinit {
        release()
    }
}
