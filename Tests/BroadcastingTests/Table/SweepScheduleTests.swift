import Testing

@testable import Broadcasting

@Suite struct SweepScheduleTests {
    @Test func `a sweep is due when the entries have doubled, one at a time`() {
        var schedule = SweepSchedule()
        #expect(schedule.begin(count: SweepSchedule.minimum) == false)
        #expect(schedule.begin(count: SweepSchedule.minimum + 1) == true)
        #expect(schedule.begin(count: 10_000) == false, "one is running")
        schedule.finish(count: 1_000)
        #expect(schedule.begin(count: 2_000) == false)
        #expect(schedule.begin(count: 2_001) == true)
        schedule.finish(count: 0)
        #expect(schedule.begin(count: SweepSchedule.minimum) == false)
    }

    @Test func `a dictionary that has become sparse gives its memory back`() {
        var dictionary = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ($0, $0) })
        for key in 10..<10_000 { dictionary.removeValueShrinking(forKey: key) }
        #expect(dictionary == Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, $0) }))
        #expect(dictionary.capacity < 200)
        #expect(dictionary.removeValueShrinking(forKey: 5) == 5)
        #expect(dictionary.removeValueShrinking(forKey: 5) == nil)
    }
}
