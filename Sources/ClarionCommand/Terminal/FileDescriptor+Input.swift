import Glibc
import Posix

extension FileDescriptor {
    /// Opens a file that is to be read; standard input if none is named.
    ///
    /// - Throws: the exit, with the file's name.
    static func input(_ path: String?) throws -> FileDescriptor {
        guard let path else { return FileDescriptor(STDIN_FILENO) }
        do throws(SystemError) {
            return try FileDescriptor(path: path, flags: O_RDONLY)
        } catch {
            throw Failure.exit(EX_NOINPUT, "\(path): \(error.reason)")
        }
    }
}
