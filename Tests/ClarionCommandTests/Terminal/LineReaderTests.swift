import Foundation
import Glibc
import Posix
import Randomness
import Testing

@testable import ClarionCommand

@Suite struct LineReaderTests {
    @Test func `lines are the same in whichever pieces they come`() async throws {
        for seed in 0..<30 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let (lines, text) = random.lines()
            let pipe = Pipe()
            let pieces = random.pieces(of: text)
            let writing = Task.detached {
                let file = FileDescriptor(pipe.fileHandleForWriting.fileDescriptor)
                for piece in pieces { try file.write(piece) }
                try pipe.fileHandleForWriting.close()
            }
            var reader = LineReader(FileDescriptor(pipe.fileHandleForReading.fileDescriptor))
            var read: [[UInt8]] = []
            while let some = try reader.next() {
                #expect(!some.isEmpty)
                read += some
            }
            try await writing.value
            #expect(read == lines, "seed \(seed)")
            #expect(try reader.next() == nil)
        }
    }

    @Test func `what cannot be read is told`() {
        var reader = LineReader(FileDescriptor(-1))
        #expect(#expect(throws: SystemError.self) { try reader.next() }?.number == EBADF)
    }
}

extension SeededGenerator {
    /// Lines, and how they are written.
    fileprivate mutating func lines() -> (lines: [[UInt8]], text: [UInt8]) {
        var (lines, text): ([[UInt8]], [UInt8]) = ([], [])
        for _ in 0..<number(0...8) {
            // Some are larger than what is read at once, and any byte but a line's end may be in them.
            let length = chance(8) ? number(200_000...600_000) : number(0...40)
            var line = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }.filter { $0 != 0x0A && $0 != 0x0D }
            if chance(4) { line.insert(0x0D, at: 0) }
            lines.append(line == [0x0D] ? [] : line)
            text += (line == [0x0D] ? [] : line) + (chance(3) ? [0x0D, 0x0A] : [0x0A])
        }
        // The last has an end or none; none at all is no line.
        if chance(2), lines.last?.isEmpty == false, text.last == 0x0A { text.removeLast() }
        return (lines, text)
    }

    fileprivate mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var (pieces, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], bytes[...])
        while !rest.isEmpty {
            let piece = rest.prefix(number(1...(rest.count > 1_000 ? 100_000 : 10)))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}
