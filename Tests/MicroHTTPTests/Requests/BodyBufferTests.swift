import Testing

@testable import MicroHTTP

@Suite struct BodyBufferTests {
    private func append(_ count: Int, to buffer: inout BodyBuffer) -> Bool {
        unsafe [UInt8](repeating: 7, count: count).withUnsafeBytes { unsafe buffer.append($0) }
    }

    @Test func `takes exactly the limit, in parts`() {
        var buffer = BodyBuffer(limit: 10)
        #expect(buffer.declare(length: 10, awaitsContinue: true) == .read)
        #expect(append(4, to: &buffer) == true)
        #expect(append(6, to: &buffer) == true)
        #expect(!buffer.isTooLarge)
        #expect(buffer.finish() == [UInt8](repeating: 7, count: 10))
        #expect(buffer.bytes.isEmpty)
    }

    @Test func `one byte more is too large, and nothing of it is kept`() {
        var buffer = BodyBuffer(limit: 10)
        #expect(append(10, to: &buffer) == true)
        #expect(append(1, to: &buffer) == true)
        #expect(buffer.isTooLarge)
        #expect(buffer.bytes.isEmpty)
        // Not even what would fit again.
        #expect(append(1, to: &buffer) == true)
        #expect(buffer.bytes.isEmpty)
    }

    @Test func `a client that waits for leave is refused at once, one that sends is read out`() {
        var waiting = BodyBuffer(limit: 10)
        #expect(waiting.declare(length: 11, awaitsContinue: true) == .refuse)
        var sending = BodyBuffer(limit: 10)
        #expect(sending.declare(length: 11, awaitsContinue: false) == .read)
        #expect(sending.isTooLarge)
        #expect(append(5, to: &sending) == true)
        #expect(sending.bytes.isEmpty)
    }

    @Test func `more than is thrown away ends the connection`() {
        var declared = BodyBuffer(limit: 10)
        #expect(declared.declare(length: BodyBuffer.discardLimit + 1, awaitsContinue: false) == .refuse)
        var endless = BodyBuffer(limit: 10)
        let part = [UInt8](repeating: 7, count: 1024 * 1024)
        var parts = 0
        while unsafe part.withUnsafeBytes({ unsafe endless.append($0) }) { parts += 1 }
        #expect(parts == BodyBuffer.discardLimit / part.count)
    }
}
