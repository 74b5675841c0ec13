import Glibc
import Testing

@testable import Posix

@Suite struct FileDescriptorTests {
    /// A file without a name, closed by whoever gets it.
    private func file() throws -> FileDescriptor {
        var path = Array("/tmp/clarion-XXXXXX".utf8CString)
        let number = unsafe mkstemp(&path)
        try #require(number >= 0)
        _ = unsafe unlink(path)
        return FileDescriptor(number)
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 300_000]) func `what is written is read again`(length: Int) throws {
        let file = try file()
        defer { file.close() }
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        try file.write(bytes)
        #expect(lseek(file.number, 0, SEEK_SET) == 0)
        #expect(try file.readAll(atMost: length) == bytes)
        #expect(try file.read(atMost: 10).isEmpty)
        guard length > 0 else { return }
        #expect(lseek(file.number, 0, SEEK_SET) == 0)
        #expect(throws: SystemError.self) { try file.readAll(atMost: length - 1) }
    }

    /// More than a pipe holds, so that it takes several writes, and a reader that takes a little at a time.
    @Test func `a pipe that is full is waited for`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        let (reader, writer) = (FileDescriptor(ends[0]), FileDescriptor(ends[1]))
        defer { reader.close() }
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 >> 8) }
        let thread = try Thread(name: "writer") {
            try? writer.write(bytes)
            writer.close()
        }
        var read: [UInt8] = []
        while case let part = try reader.read(atMost: 7_000), !part.isEmpty { read += part }
        thread.join()
        #expect(read == bytes)
    }

    @Test func `failures name the call and the reason`() throws {
        let missing = #expect(throws: SystemError.self) { try FileDescriptor(path: "/nowhere/file", flags: O_RDONLY) }
        #expect(missing?.description == "open failed: No such file or directory")
        let folder = try FileDescriptor(path: "/", flags: O_RDONLY)
        defer { folder.close() }
        #expect(fcntl(folder.number, F_GETFD) & FD_CLOEXEC != 0)
        #expect(throws: SystemError.self) { try folder.readAll(atMost: 1) }
        let full = try FileDescriptor(path: "/dev/full", flags: O_WRONLY)
        defer { full.close() }
        #expect(#expect(throws: SystemError.self) { try full.write([1]) }?.number == ENOSPC)
    }
}
