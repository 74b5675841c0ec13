import Testing

@testable import Webhooks

@Suite("Timers and RateLimit")
struct TimersTests {
    @Test("each lane has one time, gives the earliest first, and none before it is due")
    func timers() {
        var timers = Timers()
        var model: [Int: Int64] = [:]
        var now: Int64 = 0
        for _ in 0..<20_000 {
            let lane = Int.random(in: 0..<40)
            switch Int.random(in: 0..<10) {
            case 0..<6:
                model[lane] = now + .random(in: 0..<100)
                timers.set(model[lane], for: lane)
            case 6:
                model[lane] = nil
                timers.set(nil, for: lane)
            default:
                now += .random(in: 0..<10)
                while let due = timers.popDue(at: now) {
                    let time = model.removeValue(forKey: due)
                    #expect(time.map { $0 <= now && $0 <= model.values.min() ?? .max } == true)
                }
                #expect((model.values.min() ?? .max) > now)
            }
            #expect(timers.times == model)
            #expect(timers.earliest == model.values.min())
            #expect(timers.size <= 2 * model.count + 16, "those that were replaced do not gather")
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
