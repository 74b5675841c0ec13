import Synchronization
import Testing

@testable import MicroHTTP

@Suite struct ReaderMemoryTests {
    private final class Admitted: Sendable {
        let count = Atomic<Int>(0)
    }

    @Test func `a frame counts once for as long as it lives, whoever shares it`() {
        let memory = ReaderMemory(limit: 1_000_000)
        var chunks: [Chunk] = []
        do {
            let frame = Frame([UInt8](repeating: 7, count: 1_000), in: memory)
            chunks = [frame.whole, frame[0..<10], frame.part(0..<600)]
        }
        #expect((1_000..<1_200).contains(memory.usedBytes))
        chunks.removeFirst()
        #expect((1_000..<1_200).contains(memory.usedBytes))
        chunks = []
        #expect(memory.usedBytes == 0)
    }

    @Test func `a small part of a frame does not keep the rest of it`() {
        let memory = ReaderMemory()
        var part: Chunk?
        do {
            let frame = Frame(Array(0..<100) + [UInt8](repeating: 7, count: 1_000_000), in: memory)
            part = frame.part(10..<20)
        }
        #expect(memory.usedBytes < 1_000)
        #expect(part.map { unsafe Array($0.frame.bytes[$0.range]) } == Array(10..<20))
        part = nil
        #expect(memory.usedBytes == 0)
    }

    @Test func `who finds no room waits, and is let on in turn`() async throws {
        let memory = ReaderMemory(limit: 100)
        let admitted = Admitted()
        var first = await memory.hold(90)
        #expect(first?.bytes == 90 && memory.usedBytes == 90)
        await withTaskGroup(of: Void.self) { group in
            for number in 1...20 {
                group.addTask {
                    let hold = await memory.hold(20)
                    admitted.count.add(1, ordering: .relaxed)
                    #expect(hold != nil && memory.usedBytes <= 110)
                }
                await eventually { memory.waitingCount == number }
            }
            #expect(admitted.count.load(ordering: .relaxed) == 0)
            first = nil
        }
        #expect(admitted.count.load(ordering: .relaxed) == 20)
        #expect(memory.usedBytes == 0)
    }

    @Test func `what is more than the budget gets its turn, too`() async {
        let memory = ReaderMemory(limit: 100)
        let small = await memory.hold(75)
        let large = await memory.hold(1_000)
        #expect(large?.bytes == 1_000 && memory.usedBytes == 1_075)
        withExtendedLifetime((small, large)) {}
    }

    @Test func `a wait ends at its limit, and lets those behind try`() async {
        let memory = ReaderMemory(limit: 100)
        let most = await memory.hold(80)
        let none = await memory.hold(30, within: .milliseconds(20))
        #expect(none == nil && memory.usedBytes == 80 && memory.waitingCount == 0)
        let some = await memory.hold(20, within: .seconds(10))
        #expect(some != nil && memory.usedBytes == 100)
        withExtendedLifetime((most, some)) {}
    }

    @Test func `who waits is sent away in the end, and what was begun can be finished`() async {
        let memory = ReaderMemory(limit: 10)
        var all = await memory.hold(10)
        async let waiting = memory.hold(10)
        await eventually { memory.waitingCount == 1 }
        memory.stopWaiting()
        #expect(await waiting == nil)
        #expect(await memory.hold(1) == nil && memory.holdNow(1) == nil)
        all = nil
        #expect(all == nil)
        #expect(await memory.hold(1) != nil)
    }

    @Test func `holds that come and go on many threads leave nothing`() async {
        let memory = ReaderMemory(limit: 1_000)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    for round in 0..<200 {
                        if (number + round) % 3 == 0 {
                            _ = await memory.hold(900, within: .microseconds(round))
                        } else {
                            let hold = await memory.hold(10 + (number * round) % 400)
                            let frame = Frame([UInt8](repeating: 1, count: 50), in: memory)
                            withExtendedLifetime((hold, frame)) {}
                        }
                    }
                }
            }
        }
        #expect(memory.usedBytes == 0 && memory.waitingCount == 0)
    }
}
