import Testing

@testable import Webhooks

@Suite("FailingTime")
struct FailingTimeTests {
    private static let day: Int64 = 86_400_000

    @Test("an attempt's own time counts, and what a retry waits")
    func waits() {
        var time = FailingTime()
        time.begin(at: 1_000)
        #expect(time.fail(due: nil, duration: 200, retry: 6_200, at: 1_200) == 200)
        time.begin(at: 6_200)
        #expect(time.fail(due: 6_200, duration: 100, retry: 300_000, at: 6_300) == 5_100)
        time.begin(at: 300_000)
        #expect(time.fail(due: 300_000, duration: 50, retry: nil, at: 300_050) == 293_750)
    }

    @Test("the same time counts once, however many deliveries it was of")
    func union() {
        var time = FailingTime()
        var total: Int64 = 0
        for now in stride(from: 0 as Int64, through: Self.day, by: 1_000) {
            time.begin(at: now)
            for _ in 0..<3 { total += time.fail(due: nil, duration: 500, retry: now + 3_600_000, at: now) }
        }
        #expect(total == Self.day)
    }

    @Test("what lies between two events that fail, without retries, does not count")
    func betweenEvents() {
        var time = FailingTime()
        time.begin(at: 0)
        #expect(time.fail(due: nil, duration: 10, retry: nil, at: 10) == 10)
        time.begin(at: 7 * Self.day)
        #expect(time.fail(due: nil, duration: 15_000, retry: nil, at: 7 * Self.day + 15_000) == 15_000)
    }

    @Test("a retry that comes long after it was due, as the machine slept, counts to when it was due and a minute more")
    func late() {
        var time = FailingTime()
        time.begin(at: 0)
        _ = time.fail(due: nil, duration: 0, retry: 5_000, at: 0)
        time.begin(at: 6 * Self.day)
        #expect(time.fail(due: 5_000, duration: 20, retry: nil, at: 6 * Self.day + 20) == 65_020)
    }

    @Test("one from before a restart counts from its own beginning; after a success, and a pause, it begins anew")
    func anew() {
        var time = FailingTime()
        time.begin(at: 4 * Self.day)
        #expect(time.fail(due: 3 * Self.day, duration: 30, retry: 5 * Self.day, at: 4 * Self.day + 30) == 30)
        time = FailingTime()
        time.begin(at: 5 * Self.day - 40)
        #expect(time.fail(due: 5 * Self.day, duration: 40, retry: nil, at: 5 * Self.day) == 40)
    }

    @Test("an attempt that was under way at a pause counts no more, but for what lies beside one that began since")
    func overPause() {
        var time = FailingTime()
        time.begin(at: 0)
        time = FailingTime()
        #expect(time.fail(due: nil, duration: 5_000, retry: 6_000, at: 5_000) == 0)
        time.begin(at: 8_000)
        #expect(time.fail(due: nil, duration: 9_000, retry: nil, at: 9_000) == 1_000)
    }

    @Test("durations and times that cannot be add nothing and do no harm", arguments: [Int64.min, -1, 0, .max])
    func extremes(value: Int64) {
        var time = FailingTime()
        time.begin(at: 1_000)
        let failing = time.fail(due: value, duration: max(value, -1_000), retry: value, at: 2_000)
        #expect((0...1_000).contains(failing))
        #expect((0...1_000).contains(time.fail(due: value, duration: 0, retry: nil, at: 3_000)))
    }
}
