import Glibc

/// An open file of the process.
struct FileDescriptor {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    /// Opens a file.
    ///
    /// - Parameter flags: as of open(2); what is made is this user's alone to read.
    init(path: String, flags: Int32) throws(FileError) {
        number = unsafe open(path, flags | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw FileError(errno) }
    }

    /// Writes all of it.
    func write(_ bytes: [UInt8]) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { throw FileError(errno) }
            } else {
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Reads what is there, or waits for it; nothing at the end.
    func read(atMost count: Int) throws(FileError) -> [UInt8] {
        while true {
            var error: Int32 = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let read = unsafe Glibc.read(number, buffer.baseAddress, count)
                error = read < 0 ? errno : 0
                filled = max(read, 0)
            }
            if error == 0 { return bytes }
            guard error == EINTR else { throw FileError(error) }
        }
    }

    /// Everything to the end.
    ///
    /// - Parameter limit: more than that is refused.
    func readAll(atMost limit: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let part = try read(atMost: 64 * 1024)
            if part.isEmpty { return bytes }
            bytes += part
            guard bytes.count <= limit else { throw FileError(EFBIG) }
        }
    }

    func close() { _ = Glibc.close(number) }
}

/// What the system says of a file.
struct FileError: Error {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    /// As strerror(3) has it.
    var reason: String {
        // `unsafe`: the text is copied before another call could change it.
        unsafe String(cString: strerror(number))
    }
}
