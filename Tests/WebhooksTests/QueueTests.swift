import Testing

@testable import Webhooks

@Suite("Queue, TimerHeap and RateLimit")
struct QueueTests {
    @Test("a queue behaves like an array under any sequence of operations")
    func model() {
        var generator = SystemRandomNumberGenerator()
        var queue = Queue<Int>()
        var model: [Int] = []
        for step in 0..<20_000 {
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<50:
                queue.append(step)
                model.append(step)
            case 50..<55:
                queue.prepend(step)
                model.insert(step, at: 0)
            case 55..<99:
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            default:
                #expect(queue.removeAll() == model)
                model = []
            }
            #expect(queue.count == model.count)
            #expect(queue.first == model.first)
        }
    }

    @Test("a heap gives its entries in the order of their times, and none before it is due")
    func heap() {
        var heap = TimerHeap()
        let times = (0..<500).map { _ in Int64.random(in: 0..<1000) }
        for time in times { heap.insert(TimerHeap.Entry(time: time, lane: 0)) }
        var taken: [Int64] = []
        for now in stride(from: Int64(0), through: 1000, by: 10) {
            while let entry = heap.popDue(at: now) {
                #expect(entry.time <= now)
                taken.append(entry.time)
            }
            #expect((heap.earliest ?? .max) > now)
        }
        #expect(taken == times.sorted())
    }

    @Test(
        "a rate limit lets the rate through, and no more than a short burst beyond it",
        arguments: [1.0, 7, 100, 2500]
    )
    func rate(perSecond: Double) throws {
        var limit = try #require(RateLimit(perSecond: perSecond))
        var now: Int64 = 1_700_000_000_000
        let end = now + 10_000
        var taken = 0
        while now < end {
            if let retryAt = limit.take(at: now) {
                #expect(retryAt > now)
                now = retryAt
            } else {
                taken += 1
            }
        }
        #expect(Double(taken) >= perSecond * 10 - 1)
        #expect(Double(taken) <= perSecond * 10.1 + 12)
    }

    @Test("no rate, or one that is not positive, is no limit", arguments: [nil, 0, -1, Double.nan])
    func noRate(rate: Double?) {
        #expect(RateLimit(perSecond: rate) == nil)
    }
}
