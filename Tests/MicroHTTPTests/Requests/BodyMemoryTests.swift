import Posix
import Testing

@testable import MicroHTTP

@Suite struct BodyMemoryTests {
    private static let mebibyte = 1024 * 1024

    @Test func `a body holds no more than it leaves free`() {
        let memory = BodyMemory(limit: 64 * Self.mebibyte)
        var whole = 0
        while memory.take(Self.mebibyte, of: Self.mebibyte) { whole += 1 }
        #expect(whole == 63)
        #expect(memory.usedBytes == 63 * Self.mebibyte)
        // Half of what is left, and half of that again.
        #expect(memory.take(Self.mebibyte / 2, of: Self.mebibyte / 2))
        #expect(!memory.take(Self.mebibyte / 2, of: Self.mebibyte / 2))
        #expect(memory.take(Self.mebibyte / 4, of: Self.mebibyte / 4))
        memory.giveBack(memory.usedBytes)
        #expect(memory.usedBytes == 0)
    }

    @Test func `small ones find room in any case`() {
        let memory = BodyMemory(limit: 1)
        for _ in 0..<100 { #expect(memory.take(BodyMemory.free, of: BodyMemory.free)) }
        #expect(memory.usedBytes == 100 * BodyMemory.free)
        #expect(!memory.take(1, of: BodyMemory.free + 1))
        #expect(memory.usedBytes == 100 * BodyMemory.free)
    }

    @Test func `it is short for a period after room was wanted in vain`() {
        let memory = BodyMemory(limit: 100_000)
        #expect(!memory.isShort(now: SystemClock.coarse.milliseconds))
        #expect(memory.take(50_000, of: 50_000))
        #expect(!memory.isShort(now: SystemClock.coarse.milliseconds))
        #expect(!memory.hasRoom(for: 50_000))
        let now = SystemClock.coarse.milliseconds
        #expect(memory.isShort(now: now))
        #expect(!memory.isShort(now: now + 1 + ReadingPace.period))
    }

    @Test(arguments: [(64, 1, 64), (64, 32, 64), (64, 100, 200), (64, Int.max, Int.max), (0, 1, 2)])
    func `a configuration leaves room for the largest body`(memory: Int, body: Int, limit: Int) {
        var configuration = ServerConfiguration(maximumBodyBytes: body, serverName: "")
        configuration.bodyMemory = memory
        #expect(configuration.effectiveBodyMemory == limit)
    }

    @Test func `sizes at the end of their range overflow nothing`() {
        for limit in [0, 1, .max] {
            let memory = BodyMemory(limit: limit)
            #expect(memory.take(1, of: 1))
            #expect(!memory.take(1, of: .max))
            #expect(!memory.hasRoom(for: .max))
            #expect(memory.hasRoom(for: .max / 2) == (limit == .max && memory.usedBytes < 2))
        }
    }
}
