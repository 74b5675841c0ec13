import Testing

@testable import EventLog

/// The time that passes for a log, while the clock of the day steps and it is opened and closed.
@Suite struct LogClockTests {
    private static let steps: [Int64] = [1, 999, 5_000, 3_600_000, 6 * 86_400_000, 10 * 366 * 86_400_000]

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `it passes evenly, and never goes back`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let day = ManualClock()
        var kept = LogClock.Reading(time: Timestamp(milliseconds: 0), timeOfDay: Timestamp(milliseconds: 0))
        var clock = LogClock(after: kept, timeOfDay: { day.now }, elapsed: { day.elapsed })
        #expect(clock.now == day.now, "a new log's time is that of the day")
        for _ in 0..<200 {
            let before = clock.now
            let distance = (Self.steps.randomElement(using: &random) ?? 0) * (Bool.random(using: &random) ? 1 : -1)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                day.step(byMilliseconds: distance)
                #expect(clock.now == before)
            case 1:
                kept = clock.reading
                let passed = Int64.random(in: 0...10_000, using: &random)
                day.now = day.now.advanced(byMilliseconds: passed)
                day.step(byMilliseconds: distance)
                clock = LogClock(after: kept, timeOfDay: { day.now }, elapsed: { day.elapsed })
                let wanted = before.advanced(byMilliseconds: max(passed + distance, 0))
                #expect((clock.now.milliseconds - wanted.milliseconds).magnitude <= LogClock.jitter)
            default:
                let passed = Int64.random(in: 0...100_000, using: &random)
                day.now = day.now.advanced(byMilliseconds: passed)
                #expect(clock.now == before.advanced(byMilliseconds: passed))
            }
            let later = clock.now.advanced(byMilliseconds: 5_000)
            let shown = clock.timeOfDay(at: later)
            let wanted = day.now.advanced(byMilliseconds: 5_000)
            #expect((shown.milliseconds - wanted.milliseconds).magnitude <= LogClock.jitter)
            #expect(clock.timeOfDay(at: later) == shown)
        }
    }

    @Test func `what is shown of a moment does not depend on when one looks`() throws {
        let clock = LogClock(
            after: .init(time: .now(), timeOfDay: .now()),
            timeOfDay: { .now() },
            elapsed: LogClock.elapsed
        )
        let moment = clock.now.advanced(byMilliseconds: 60_000)
        let shown = clock.timeOfDay(at: moment)
        for _ in 0..<20_000 { try #require(clock.timeOfDay(at: moment) == shown) }
        let kept = clock.reading
        let reopened = LogClock(after: kept, timeOfDay: { .now() }, elapsed: LogClock.elapsed)
        #expect(reopened.timeOfDay(at: moment) == shown)
    }

    @Test func `moments beyond any calendar end at its bounds`() {
        let day = ManualClock(.latest)
        let clock = LogClock(
            after: .init(time: .latest, timeOfDay: .earliest),
            timeOfDay: { day.now },
            elapsed: { .seconds(Int64.max / 2) }
        )
        #expect(clock.now == .latest)
        #expect(clock.timeOfDay(at: .earliest) < .latest)
    }
}
