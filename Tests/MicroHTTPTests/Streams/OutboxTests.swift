import Randomness
import Testing

@testable import MicroHTTP

@Suite struct OutboxTests {
    private func chunk(_ count: Int) -> Chunk { Frame([UInt8](repeating: 7, count: count)).whole }

    private func isQueued(_ result: Outbox.AppendResult, wake: Bool) -> Bool {
        if case .queued(wake: wake) = result { true } else { false }
    }

    private func isFull(_ result: Outbox.AppendResult) -> Bool {
        if case .full = result { true } else { false }
    }

    private func isEnded(_ result: Outbox.AppendResult) -> Bool {
        if case .ended = result { true } else { false }
    }

    @Test func `what comes before the socket waits without waking`() {
        var outbox = Outbox(limit: 100)
        #expect(isQueued(outbox.append(chunk(10)), wake: false))
        #expect(outbox.open() == true)
        var sending: [Chunk] = []
        outbox.take(into: &sending)
        #expect(sending.map(\.count) == [10])
    }

    @Test func `wakes the streams once until it comes`() {
        var outbox = Outbox(limit: 100)
        #expect(outbox.open() == false)
        #expect(isQueued(outbox.append(chunk(1)), wake: true))
        #expect(isQueued(outbox.append(chunk(2)), wake: false))
        var sending: [Chunk] = []
        outbox.take(into: &sending)
        #expect(sending.map(\.count) == [1, 2])
        #expect(isQueued(outbox.append(chunk(3)), wake: true))
        outbox.take(into: &sending)
        #expect(sending.map(\.count) == [1, 2, 3])
    }

    @Test func `is full by what the kernel has not taken`() {
        var outbox = Outbox(limit: 100)
        _ = outbox.open()
        #expect(isQueued(outbox.append(chunk(60)), wake: true))
        #expect(isQueued(outbox.append(chunk(40)), wake: false))
        #expect(isFull(outbox.append(chunk(1))))
        var sending: [Chunk] = []
        outbox.take(into: &sending)
        // Taken by the streams is not yet taken by the kernel.
        #expect(isFull(outbox.append(chunk(1))))
        _ = outbox.sent(1, surcharge: 0)
        #expect(isQueued(outbox.append(chunk(1)), wake: true))
        #expect(outbox.queuedBytes == 100)
    }

    @Test func `a small chunk costs the least that one costs, also when it comes`() {
        var outbox = Outbox(limit: 100, leastCost: 40)
        #expect(isQueued(outbox.append(chunk(10)), wake: false))
        #expect(isQueued(outbox.append(chunk(10)), wake: false))
        #expect(isFull(outbox.append(chunk(10))))
        #expect(outbox.queuedBytes == 20)
        _ = outbox.sent(10, surcharge: 30)
        #expect(isQueued(outbox.append(chunk(60)), wake: false))
        #expect(isFull(outbox.append(chunk(1))))
    }

    @Test func `an empty outbox takes a chunk of any size, and an empty chunk is nothing`() {
        var outbox = Outbox(limit: 10)
        _ = outbox.open()
        #expect(isQueued(outbox.append(chunk(0)), wake: false))
        #expect(isQueued(outbox.append(chunk(1000)), wake: true))
        #expect(isFull(outbox.append(chunk(1))))
        var sending: [Chunk] = []
        outbox.take(into: &sending)
        #expect(sending.count == 1)
    }

    @Test func `an end wakes once, lets its last chunk past the bound and takes no more`() {
        var outbox = Outbox(limit: 10)
        _ = outbox.open()
        _ = outbox.append(chunk(10))
        var sending: [Chunk] = []
        outbox.take(into: &sending)
        #expect(outbox.end(after: chunk(5)) == true)
        #expect(outbox.end(after: chunk(5)) == false)
        #expect(isEnded(outbox.append(chunk(1))))
        outbox.take(into: &sending)
        #expect(sending.map(\.count) == [10, 5])
        #expect(outbox.phase == .ending)
    }

    @Test func `an end before the socket is noticed when it comes`() {
        var outbox = Outbox(limit: 10)
        #expect(outbox.end(after: nil) == false)
        #expect(outbox.open() == true)
        #expect(outbox.phase == .ending)
    }

    @Test func `an end while the streams is already on its way does not wake it again`() {
        var outbox = Outbox(limit: 10)
        _ = outbox.open()
        #expect(isQueued(outbox.append(chunk(1)), wake: true))
        #expect(outbox.end(after: nil) == false)
    }

    @Test(arguments: [(room: 10, threshold: 6), (room: 97, threshold: 3), (room: 1000, threshold: 0)])
    func `tells when the room is there`(room: Int, threshold: Int) {
        var outbox = Outbox(limit: 100)
        _ = outbox.open()
        _ = outbox.append(chunk(100))
        #expect(outbox.wait(forRoom: room) {} == true)
        #expect(outbox.sent(100 - threshold - 1, surcharge: 0).count == 0)
        let last = outbox.sent(1, surcharge: 0)
        #expect(last.count == 1)
        #expect(outbox.sent(0, surcharge: 0).count == 0)
        #expect(outbox.wait(forRoom: room) {} == false)
    }

    @Test func `nobody waits in vain: close tells, and after an end nobody need wait`() {
        var outbox = Outbox(limit: 100)
        _ = outbox.append(chunk(100))
        #expect(outbox.wait(forRoom: 1) {} == true)
        #expect(outbox.wait(forRoom: 1) {} == true)
        #expect(outbox.close(inOrder: false).count == 2)
        #expect(outbox.close(inOrder: true).count == 0)
        #expect(!outbox.endedInOrder)
        #expect(outbox.wait(forRoom: 1) {} == false)
        #expect(outbox.queuedBytes == 0)
        #expect(isEnded(outbox.append(chunk(1))))
    }

    @Test(arguments: UInt64(0)..<100) func `loses and reorders nothing, whatever comes when`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var outbox = Outbox(limit: 50)
        var accepted: [Int] = []
        var sending: [Chunk] = []
        var sent: [Int] = []
        var isAwake = false
        var next = 1
        for _ in 0..<300 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1:
                if case .queued(let wake) = outbox.append(chunk(next)) {
                    accepted.append(next)
                    // A wake-up is never asked for twice, and never missing when something waits for an idle streams.
                    #expect(!(wake && isAwake))
                    isAwake = isAwake || wake
                    next = next % 9 + 1
                }
            case 2 where outbox.phase == .opening:
                // The streams looks at once, and needs no waking for it.
                if outbox.open() { outbox.take(into: &sending) }
            case 2 where isAwake:
                outbox.take(into: &sending)
                isAwake = false
            default:
                if !sending.isEmpty {
                    let chunk = sending.removeFirst()
                    sent.append(chunk.count)
                    _ = outbox.sent(chunk.count, surcharge: 0)
                }
            }
            #expect(outbox.queuedBytes <= 50)
            #expect(outbox.queuedBytes == accepted.dropFirst(sent.count).reduce(0, +))
        }
        if outbox.phase == .opening { isAwake = outbox.open() }
        if isAwake { outbox.take(into: &sending) }
        #expect(sent + sending.map(\.count) == accepted)
    }

    @Test func `small chunks count for what they cost, and no longer when they are sent`() {
        var outbox = Outbox(limit: 1_000, leastCost: 100)
        _ = outbox.open()
        for _ in 0..<10 { #expect(isQueued(outbox.append(chunk(1)), wake: false) || outbox.queuedBytes == 1) }
        #expect(isFull(outbox.append(chunk(1))))
        #expect(outbox.queuedBytes == 10)
        // Two and a half chunks' bytes: of two chunks all.
        _ = outbox.sent(2, surcharge: 2 * outbox.surcharge(of: chunk(1)))
        #expect(isQueued(outbox.append(chunk(200)), wake: false))
        #expect(isFull(outbox.append(chunk(1))))
        #expect(outbox.queuedBytes == 208)
    }

    @Test func `an outbox holds no more than its share, but one chunk always`() {
        var outbox = Outbox(limit: 1_000)
        _ = outbox.open()
        #expect(isQueued(outbox.append(chunk(300), share: 0), wake: true))
        #expect(isFull(outbox.append(chunk(1), share: 300)))
        #expect(isQueued(outbox.append(chunk(1), share: 301), wake: false))
        // Without a share there is room when it has emptied, not before: nobody is told to try again in vain.
        #expect(outbox.wait(forRoom: 10, share: 0) {})
        #expect(outbox.sent(300, surcharge: 0).isEmpty)
        #expect(outbox.sent(1, surcharge: 0).count == 1)
    }
}
