import Foundation
import Testing

@testable import Posix

@Suite struct FileContentsTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "clarion-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func error(_ path: String, atMost limit: Int = 100) -> Int32? {
        do throws(SystemError) {
            _ = try FileContents.read(path, atMost: limit)
            return nil
        } catch {
            return error.number
        }
    }

    @Test func `a regular file is read, and no more than may be`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/file"
        try Data("hello".utf8).write(to: URL(filePath: path))
        #expect(try FileContents.read(path, atMost: 5) == Array("hello".utf8))
        #expect(error(path, atMost: 4) == EFBIG)
        #expect(error(folder) == EISDIR)
        #expect(error(folder + "/none") == ENOENT)
        #expect(try FileContents.read("/dev/null", atMost: 5) == nil)
    }

    @Test(.timeLimit(.minutes(1))) func `a pipe holds nobody up, whoever writes to it`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/pipe"
        try #require(unsafe mkfifo(path, 0o600) == 0)
        #expect(try FileContents.read(path, atMost: 5) == nil)
        // Nobody writes to it: it is at its end.
        #expect(try FileContents.read(path, atMost: 5, takesPipes: true) == [])
        let writer = try FileDescriptor(path: path, flags: O_RDWR)
        try writer.write(Array("hello".utf8))
        #expect(try FileContents.read(path, atMost: 5) == nil)
        writer.close()
    }

    @Test(.timeLimit(.minutes(1))) func `where pipes are taken, one is read to its end`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        let (reader, writer) = (FileDescriptor(ends[0]), FileDescriptor(ends[1]))
        defer { reader.close() }
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        let thread = try Thread(name: "writer") {
            try? writer.write(bytes)
            writer.close()
        }
        // As a shell names what `<(…)` stands for.
        #expect(try FileContents.read("/dev/fd/\(ends[0])", atMost: bytes.count, takesPipes: true) == bytes)
        thread.join()
    }
}
