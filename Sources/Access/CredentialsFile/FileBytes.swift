import Glibc

/// Reads the small files that this module needs.
enum FileBytes {
    /// The bytes of a regular file. A pipe is none: opening it could wait for ever, and it cannot be read a second time.
    ///
    /// - Throws: why it cannot be read, as a sentence.
    static func read(_ path: String, atMost limit: Int) throws(MemberFault) -> [UInt8] {
        // O_NONBLOCK matters to pipes alone.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw MemberFault(path: "", message: "It is not a file.") }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            // read(2) writes at most so many bytes into the array, and says how many; -1 is a failure.
            let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(errno) }
            guard count > 0 else { return bytes }
            bytes += piece.prefix(count)
            guard bytes.count <= limit else {
                throw MemberFault(path: "", message: "It is larger than \(limit) bytes, so it must be another file.")
            }
        }
    }

    private static func unreadable(_ code: Int32) -> MemberFault {
        // `unsafe`: the text that strerror(3) lends is copied at once.
        let reason = unsafe String(cString: strerror(code))
        return MemberFault(
            path: "",
            message: code == ENOENT ? "There is no such file." : "It cannot be read: \(reason)."
        )
    }
}
