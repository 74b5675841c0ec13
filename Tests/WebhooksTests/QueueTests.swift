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

    @Test("a heap has one time for each lane, gives the earliest first, and none before it is due")
    func heap() {
        var heap = TimerHeap()
        var model: [Int: Int64] = [:]
        var now: Int64 = 0
        for _ in 0..<20_000 {
            let lane = Int.random(in: 0..<40)
            switch Int.random(in: 0..<10) {
            case 0..<6:
                model[lane] = now + .random(in: 0..<100)
                heap.set(model[lane], for: lane)
            case 6:
                model[lane] = nil
                heap.set(nil, for: lane)
            default:
                now += .random(in: 0..<10)
                while let due = heap.popDue(at: now) {
                    let time = model.removeValue(forKey: due)
                    #expect(time.map { $0 <= now && $0 <= model.values.min() ?? .max } == true)
                }
                #expect((model.values.min() ?? .max) > now)
            }
            #expect(heap.count == model.count)
            #expect(heap.earliest == model.values.min())
            #expect(heap.time(of: lane) == model[lane])
        }
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
