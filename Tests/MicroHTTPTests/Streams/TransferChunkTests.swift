@testable import MicroHTTP
import Randomness
import Testing

/// A chunk of the chunked transfer coding, written in pieces.
@Suite struct TransferChunkTests {
    /// Writes a chunk in pieces of random length, and reads back what was written.
    @Test(arguments: [1, 2, 15, 16, 17, 255, 256, 4095, 4096, 65_535, 65_536, 1 << 20])
    func `whatever a write takes, the bytes are the chunk's`(size: Int) {
        var generator = SeededGenerator(seed: UInt64(size))
        let data = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        for _ in 0..<20 {
            var chunk = TransferChunk()
            var written: [UInt8] = []
            var sent = 0
            chunk.begin(size: size)
            repeat {
                chunk.begin(size: 7)
                var head = [UInt8](repeating: 0, count: TransferChunk.longestHead)
                let headLength = unsafe head.withUnsafeMutableBytes { unsafe chunk.writeHead(to: $0) }
                let tail = [TransferChunk.tail.0, TransferChunk.tail.1].suffix(chunk.tailLeft)
                let rest = head.prefix(headLength) + data[(size - chunk.dataLeft)...] + tail
                let count = Int.random(in: 1...max(1, min(rest.count, 1 + size / 3)), using: &generator)
                written += rest.prefix(count)
                sent += chunk.wrote(count)
            } while chunk.size > 0
            #expect(sent == size)
            #expect(written == Array("\(String(size, radix: 16))\r\n".utf8) + data + [13, 10])
        }
    }
}
