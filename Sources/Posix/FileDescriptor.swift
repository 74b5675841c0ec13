import CPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An open file of the process. Whoever opens it closes it.
package struct FileDescriptor: Sendable {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    /// Opens a file.
    ///
    /// - Parameter flags: as of open(2); what is made is this user's alone to read.
    package init(path: String, flags: Int32) throws(SystemError) {
        number = unsafe open(path, flags | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError("open") }
    }

    /// Writes all of it.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty { rest = rest.dropFirst(try write(some: rest)) }
    }

    /// Writes what there is space for, or waits for some.
    ///
    /// - Returns: how many bytes were written.
    package func write(some bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        while true {
            let count = unsafe bytes.withUnsafeBytes { unsafe systemWrite(number, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            guard errno == EINTR else { throw SystemError("write") }
        }
    }

    /// Whether something can be written without waiting: to a pipe `PIPE_BUF` bytes (poll(2)). Who is not there fails.
    ///
    /// - Parameter milliseconds: for how long to wait until it can.
    package func takesBytes(within milliseconds: Int32 = 0) -> Bool {
        var file = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&file, 1, milliseconds) == 1
    }

    /// Reads what is there, or waits for it; nothing at the end.
    package func read(atMost count: Int) throws(SystemError) -> [UInt8] {
        while true {
            var error: Int32 = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let read = unsafe systemRead(number, buffer.baseAddress, count)
                error = read < 0 ? errno : 0
                filled = max(read, 0)
            }
            if error == 0 { return bytes }
            guard error == EINTR else { throw SystemError("read", error) }
        }
    }

    /// Everything to the end.
    ///
    /// - Throws: what is said of the file, or `EFBIG` if there is more than the limit.
    package func readAll(atMost limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let part = try read(atMost: 64 * 1024)
            if part.isEmpty { return bytes }
            bytes += part
            guard bytes.count <= limit else { throw SystemError("read", EFBIG) }
        }
    }

    /// Locks the file for this opening of it, by whatever name, until it is closed. Locks of other kinds, such as SQLite's, do
    /// not meet it.
    ///
    /// - Returns: false if another opening, of this process or another, has it locked so. Where a file system has no such
    ///   locks nobody has.
    package func lock() -> Bool { clarion_lock_opening(number) == 0 }

    package func close() { systemClose(number) }
}

// A method hides the function of its name, whose module is another on each system.
private func systemRead(_ number: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(number, bytes, count)
}

private func systemWrite(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(number, bytes, count)
}

private func systemClose(_ number: Int32) { _ = close(number) }
