import Testing

@testable import MicroHTTP

@Suite struct BodyBufferTests {
    private let memory = BodyMemory(limit: .max)

    private func append(_ count: Int, to buffer: inout BodyBuffer) -> BodyBuffer.Step {
        unsafe [UInt8](repeating: 7, count: count).withUnsafeBytes { unsafe buffer.append($0) }
    }

    @Test func `takes exactly the limit, in parts`() {
        var buffer = BodyBuffer(limit: 10, memory: memory)
        #expect(buffer.declare(length: 10, awaitsContinue: true) == .read)
        #expect(append(4, to: &buffer) == .read)
        #expect(append(6, to: &buffer) == .read)
        #expect(buffer.fault == nil)
        #expect(buffer.finish().bytes == [UInt8](repeating: 7, count: 10))
        #expect(buffer.bytes.isEmpty)
    }

    @Test func `one byte more is too large, and nothing of it is kept`() {
        var buffer = BodyBuffer(limit: 10, memory: memory)
        #expect(append(10, to: &buffer) == .read)
        #expect(append(1, to: &buffer) == .read)
        #expect(buffer.fault == .tooLarge)
        #expect(buffer.bytes.isEmpty)
        // Not even what would fit again.
        #expect(append(1, to: &buffer) == .read)
        #expect(buffer.bytes.isEmpty)
    }

    @Test func `a client that waits for leave is refused at once, one that sends is read out`() {
        var waiting = BodyBuffer(limit: 10, memory: memory)
        #expect(waiting.declare(length: 11, awaitsContinue: true) == .refuse)
        var sending = BodyBuffer(limit: 10, memory: memory)
        #expect(sending.declare(length: 11, awaitsContinue: false) == .read)
        #expect(sending.fault == .tooLarge)
        #expect(append(5, to: &sending) == .read)
        #expect(sending.bytes.isEmpty)
    }

    @Test func `beyond what is read in silence the client is told once, and read on`() {
        var declared = BodyBuffer(limit: 10, memory: memory)
        #expect(declared.declare(length: BodyBuffer.quietLimit + 1, awaitsContinue: false) == .refuseReading)
        let part = [UInt8](repeating: 7, count: 1 << 20)
        var steps: [BodyBuffer.Step] = []
        while steps.last != .cut, steps.count <= 2048 {
            steps.append(unsafe part.withUnsafeBytes { unsafe declared.append($0) })
        }
        #expect(steps == Array(repeating: .read, count: BodyBuffer.discardLimit / part.count) + [.cut])
        var endless = BodyBuffer(limit: 10, memory: memory)
        steps = []
        while steps.last != .cut, steps.count <= 2048 {
            steps.append(unsafe part.withUnsafeBytes { unsafe endless.append($0) })
        }
        let quiet = BodyBuffer.quietLimit / part.count
        #expect(steps.firstIndex(of: .refuseReading) == quiet)
        #expect(steps.count == BodyBuffer.discardLimit / part.count + 1)
        #expect(steps.count { $0 != .read } == 2)
    }

    @Test func `takes room for what comes, and gives it back when it is whole, too large, or gone`() {
        do {
            var buffer = BodyBuffer(limit: 10, memory: memory)
            #expect(buffer.declare(length: 10, awaitsContinue: true) == .read)
            #expect(memory.usedBytes == 0)
            #expect(append(9, to: &buffer) == .read)
            #expect(memory.usedBytes == 9)
            #expect(buffer.finish().bytes.count == 9)
            #expect(memory.usedBytes == 0)
        }
        do {
            var buffer = BodyBuffer(limit: 10, memory: memory)
            #expect(append(9, to: &buffer) == .read)
            #expect(append(2, to: &buffer) == .read)
            #expect(buffer.fault == .tooLarge)
            #expect(memory.usedBytes == 0)
        }
        do {
            var buffer = BodyBuffer(limit: 10, memory: memory)
            #expect(append(9, to: &buffer) == .read)
            #expect(memory.usedBytes == 9)
        }
        #expect(memory.usedBytes == 0)
    }

    @Test func `a whole body takes its room until that is let go, and a small one none`() {
        var large = BodyBuffer(limit: 50_000, memory: memory)
        #expect(append(50_000, to: &large) == .read)
        do {
            let room = large.finish().room
            #expect(memory.usedBytes == 50_000)
            withExtendedLifetime(room) {}
        }
        #expect(memory.usedBytes == 0)
        var small = BodyBuffer(limit: 50_000, memory: memory)
        #expect(append(BodyMemory.free, to: &small) == .read)
        #expect(small.finish().room == nil)
        #expect(memory.usedBytes == 0)
    }

    @Test func `without room it is thrown away to its end, also when there is room again`() {
        let memory = BodyMemory(limit: 100_000)
        var first = BodyBuffer(limit: 50_000, memory: memory)
        #expect(append(50_000, to: &first) == .read)
        var second = BodyBuffer(limit: 50_000, memory: memory)
        #expect(append(20_000, to: &second) == .read)
        #expect(append(10_000, to: &second) == .read)
        #expect(second.fault == .noRoom)
        #expect(memory.usedBytes == 50_000)
        #expect(first.finish().bytes.count == 50_000)
        #expect(append(10_000, to: &second) == .read)
        #expect(second.finish().bytes.isEmpty)
        #expect(memory.usedBytes == 0)
    }

    @Test func `who asks before sending is refused at once where there is no room`() {
        let memory = BodyMemory(limit: 100_000)
        var first = BodyBuffer(limit: 50_000, memory: memory)
        #expect(append(50_000, to: &first) == .read)
        var second = BodyBuffer(limit: 50_000, memory: memory)
        #expect(second.declare(length: 25_001, awaitsContinue: true) == .refuse)
        #expect(second.fault == .noRoom)
        var third = BodyBuffer(limit: 50_000, memory: memory)
        #expect(third.declare(length: 25_000, awaitsContinue: true) == .read)
        var fourth = BodyBuffer(limit: 50_000, memory: memory)
        #expect(fourth.declare(length: 50_000, awaitsContinue: false) == .read)
    }
}
