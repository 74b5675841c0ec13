import Foundation
import Glibc
import Posix
import Testing

@testable import ClarionCommand

/// What becomes of a hub whose log cannot be written, the end-to-end tests see.
@Suite struct LogOutputTests {
    private let pipe = Pipe()

    init() {
        let read = pipe.fileHandleForReading.fileDescriptor
        _ = fcntl(read, F_SETFL, fcntl(read, F_GETFL) | O_NONBLOCK)
    }

    /// What is there.
    private func text() -> String {
        var bytes: [UInt8] = []
        let file = FileDescriptor(pipe.fileHandleForReading.fileDescriptor)
        while let part = try? file.read(atMost: 65_536), !part.isEmpty { bytes += part }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(_ line: String, to output: LogOutput) {
        output.write(Array("\(line)\n".utf8)) { Array("gap of \($0)\n".utf8) }
    }

    @Test func `each line is there or counted, and none is mixed with the next`() {
        let output = LogOutput(FileDescriptor(pipe.fileHandleForWriting.fileDescriptor))
        var (seen, lost) = (0, 0)
        // Longer than what is written at once, so that lines are cut.
        for round in 0..<4 {
            for number in 0..<40 {
                write("\(number % 2 == 0 ? "short" : String(repeating: "x", count: 9_001))", to: output)
            }
            for line in text().split(separator: "\n") {
                if let count = line.wholeMatch(of: /gap of (\d+)/) {
                    lost += Int(count.1) ?? 0
                } else if line == "short" || line.count == 9_001 {
                    seen += 1
                } else {
                    #expect(line.allSatisfy { $0 == "x" } && line.count < 9_001, "the part of one that was cut")
                }
            }
            #expect(seen < 40 * (round + 1))
        }
        write("last", to: output)
        let rest = text()
        lost += rest.firstMatch(of: /gap of (\d+)/).flatMap { Int($0.1) } ?? 0
        #expect(seen + lost == 160)
        #expect(rest.hasSuffix("\nlast\n"))
    }

    @Test func `a terminal that is read loses nothing of a burst`() async throws {
        let terminal = try FileDescriptor(path: "/dev/ptmx", flags: O_RDWR | O_NOCTTY).number
        // Its number, and that it may be opened: `TIOCGPTN` and `TIOCSPTLCK` (ioctl_tty(2)).
        var (number, isLocked): (CInt, CInt) = (0, 0)
        try #require(ioctl(terminal, 0x8004_5430, &number) == 0 && ioctl(terminal, 0x4004_5431, &isLocked) == 0)
        let name = "/dev/pts/\(number)"
        let file = try FileDescriptor(path: name, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY)
        defer { file.close() }
        let output = LogOutput(file, patience: .seconds(10))
        let reader = Task.detached {
            defer { close(terminal) }
            var seen: [UInt8] = []
            while !seen.suffix(6).elementsEqual("last\r\n".utf8) {
                seen += try FileDescriptor(terminal).read(atMost: 65_536)
            }
            return String(decoding: seen, as: UTF8.self)
        }
        // Many times what its buffer holds.
        for _ in 0..<2_000 { write(String(repeating: "x", count: 150), to: output) }
        write("last", to: output)
        let lines = try await reader.value.split(separator: "\r\n")
        #expect(lines.count == 2_001 && lines.dropLast().allSatisfy { $0.count == 150 })
    }

    @Test(.timeLimit(.minutes(1))) func `nobody waits for a pipe without a reader`() throws {
        signal(SIGPIPE, SIG_IGN)
        let output = LogOutput(FileDescriptor(pipe.fileHandleForWriting.fileDescriptor), patience: .seconds(100))
        try pipe.fileHandleForReading.close()
        for _ in 0..<3 { write("lost", to: output) }
    }

    @Test func `lines for people are one line each`() {
        let line = "2026 warning clarion: name=a\u{2028}b\n2026 forged [Clarion] x\n"
        #expect(
            String(decoding: TextLog.escaped(line), as: UTF8.self)
                == "2026 warning clarion: name=a\\u{2028}b\\n2026 forged [Clarion] x\n"
        )
    }
}
