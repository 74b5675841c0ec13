import Testing

@testable import MicroHTTP

@Suite struct ReadingPaceTests {
    private func isTooSlow(_ pace: inout ReadingPace, now: Int) -> Bool { pace.isTooSlow(now: now) }

    @Test func `a client that takes too little is too slow after a period, not before`() {
        var pace = ReadingPace(now: 5)
        pace.took(ReadingPace.leastBytes - 1)
        #expect(isTooSlow(&pace, now: 4 + ReadingPace.period) == false)
        #expect(isTooSlow(&pace, now: 5 + ReadingPace.period) == true)
        #expect(isTooSlow(&pace, now: 5 + 10 * ReadingPace.period) == true)
    }

    @Test func `one that takes enough is not`() {
        var pace = ReadingPace(now: 0)
        for period in 1...10 {
            pace.took(ReadingPace.leastBytes)
            #expect(isTooSlow(&pace, now: period * ReadingPace.period) == false)
        }
    }

    @Test func `what it took in one period does not count in the next`() {
        var pace = ReadingPace(now: 0)
        pace.took(100 * ReadingPace.leastBytes)
        #expect(isTooSlow(&pace, now: ReadingPace.period) == false)
        #expect(isTooSlow(&pace, now: 2 * ReadingPace.period - 1) == false)
        #expect(isTooSlow(&pace, now: 2 * ReadingPace.period) == true)
    }
}
