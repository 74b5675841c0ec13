import Glibc
import Posix

/// Reads the small files that this module needs.
enum FileBytes {
    /// The bytes of a regular file. A pipe is none: opening it could wait for ever, and it cannot be read a second time.
    ///
    /// - Throws: why it cannot be read, as a sentence.
    static func read(_ path: String, atMost limit: Int) throws(MemberFault) -> [UInt8] {
        do throws(SystemError) {
            // O_NONBLOCK matters to pipes alone.
            let file = try FileDescriptor(path: path, flags: O_RDONLY | O_NONBLOCK)
            defer { file.close() }
            var status = stat()
            guard unsafe fstat(file.number, &status) == 0 else { throw SystemError("fstat") }
            if status.st_mode & S_IFMT == S_IFREG { return try file.readAll(atMost: limit) }
        } catch {
            let message =
                switch error.number {
                case ENOENT: "There is no such file."
                case EFBIG: "It is larger than \(limit) bytes, so it must be another file."
                default: "It cannot be read: \(error.reason)."
                }
            throw MemberFault(path: "", message: message)
        }
        throw MemberFault(path: "", message: "It is not a file.")
    }
}
