#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads small files whose paths others have chosen: settings, credentials, certificates.
package enum FileContents {
    /// The bytes of a regular file. No path holds the caller up: what is opened again while a program runs may be a pipe by
    /// then, whose opening waits for its other end, for ever and with everything that comes after it.
    ///
    /// - Parameters:
    ///   - limit: how many bytes there may be.
    ///   - takesPipes: whether a pipe that somebody writes to is read to its end, as `<(…)` of a shell makes one: at the start of a
    ///     program, where its user waits for it.
    /// - Returns: nil of what is neither.
    /// - Throws: what the system says of it, or `EFBIG` if there is more than the limit.
    package static func read(
        _ path: String,
        atMost limit: Int,
        takesPipes: Bool = false
    ) throws(SystemError) -> [UInt8]? {
        // O_NONBLOCK matters to pipes and devices alone.
        let file = try FileDescriptor(path: path, flags: O_RDONLY | O_NONBLOCK)
        defer { file.close() }
        var status = stat()
        // `unsafe`: fstat(2) fills the structure that it is lent.
        guard unsafe fstat(file.number, &status) == 0 else { throw SystemError("fstat") }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw SystemError("read", EISDIR)
        case S_IFIFO where takesPipes:
            // Of one that nobody writes to this is the end.
            guard fcntl(file.number, F_SETFL, O_RDONLY) == 0 else { throw SystemError("fcntl") }
        default: return nil
        }
        return try file.readAll(atMost: limit)
    }
}
