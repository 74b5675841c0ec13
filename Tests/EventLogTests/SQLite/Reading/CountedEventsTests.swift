import Randomness
import Testing

@testable import EventLog

@Suite struct CountedEventsTests {
    private func part(_ after: Int64, _ through: Int64, _ count: Int) -> CountedEvents.Part {
        CountedEvents.Part(after: after, through: through, count: count)
    }

    private func isGap(_ gap: (after: Int64, through: Int64)?, _ after: Int64, _ through: Int64) -> Bool {
        gap.map { $0 == (after, through) } ?? false
    }

    @Test func `what was counted is no gap, what comes before, between and after is`() {
        var counted = CountedEvents(removals: 0)
        #expect(isGap(counted.gap(after: 3, through: 9), 3, 9))
        counted.add(part(3, 9, 4))
        counted.add(part(20, 30, 1))
        #expect(counted.gap(after: 3, through: 9) == nil)
        #expect(isGap(counted.gap(after: 0, through: 9), 0, 3))
        #expect(isGap(counted.gap(after: 3, through: 40), 9, 20))
        #expect(isGap(counted.gap(after: 20, through: 40), 30, 40))
        #expect(counted.count(after: 3, through: 9) == 4)
    }

    @Test func `of a part that an observer has come into, the rest is counted anew`() {
        var counted = CountedEvents(removals: 0)
        counted.add(part(0, 10, 5))
        counted.add(part(10, 20, 7))
        #expect(isGap(counted.gap(after: 4, through: 20), 4, 10))
        counted.add(part(4, 10, 2))
        #expect(counted.gap(after: 4, through: 20) == nil)
        #expect(counted.count(after: 4, through: 20) == 9)
    }

    @Test func `parts in which something may have been removed are counted anew`() {
        var counted = CountedEvents(removals: 0)
        for place in 0..<4 as Range<Int64> { counted.add(part(place * 10, place * 10 + 10, 1)) }
        counted.recount(through: 15)
        #expect(isGap(counted.gap(after: 0, through: 40), 0, 20))
        #expect(counted.count(after: 20, through: 40) == 2)
    }

    @Test func `whatever is asked in whatever order, the counts are right and the parts few`() {
        var random = SplitMix(seed: 217)
        for _ in 0..<100 {
            var events = Set((1...2_000).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.map(Int64.init))
            var counted = CountedEvents(removals: 0)
            var (cursor, tail) = (Int64(0), Int64(0))
            while tail < 2_000 {
                tail = min(tail + Int64.random(in: 0...40, using: &random), 2_000)
                cursor = min(cursor + Int64.random(in: 0...20, using: &random), tail)
                if Int.random(in: 0..<10, using: &random) == 0 {
                    let last = Int64.random(in: 0...tail, using: &random)
                    events = events.filter { $0 > last }
                    counted.recount(through: last)
                }
                counted.forget(through: cursor)
                while let gap = counted.gap(after: cursor, through: tail) {
                    let end = min(gap.through, gap.after + Int64.random(in: 1...9, using: &random))
                    counted.add(part(gap.after, end, events.count { $0 > gap.after && $0 <= end }))
                }
                #expect(counted.count(after: cursor, through: tail) == events.count { $0 > cursor && $0 <= tail })
                #expect(counted.parts.count <= CountedEvents.mostParts)
            }
        }
    }
}
