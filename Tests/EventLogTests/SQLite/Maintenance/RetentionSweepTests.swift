import Testing

@testable import EventLog

@Suite struct RetentionSweepTests {
    private let now = Timestamp(milliseconds: 1_795_000_000_000)

    @Test func `topics are trimmed in the order in which they were noted, each once`() {
        var sweep = RetentionSweep(defaults: Retention())
        for topic: Int64 in [3, 1, 3, 2, 1] { sweep.note(topic) }
        var order: [Int64] = []
        while let topic = sweep.nextOverdue(isIdle: false) {
            order.append(topic)
            if order.count == 2 { sweep.note(3) }
        }
        #expect(order == [3, 1, 2, 3])
    }

    @Test func `a little too much is left for idle times, much is not`() {
        var sweep = RetentionSweep(defaults: Retention(events: 10, bytes: 1_000_000))
        sweep.note(1, events: 10, bytes: 1_000_000, own: Retention())
        #expect(!sweep.isOverdue(isIdle: true))
        sweep.note(2, events: 11, bytes: 0, own: Retention())
        #expect(sweep.isOverdue(isIdle: true) && !sweep.isOverdue(isIdle: false))
        sweep.note(3, events: 27, bytes: 0, own: Retention())
        sweep.note(4, events: 27, bytes: 0, own: Retention(events: 20))
        sweep.note(5, events: 2, bytes: 1_065_537, own: Retention())
        #expect(sweep.nextOverdue(isIdle: false) == 3)
        #expect(sweep.nextOverdue(isIdle: false) == 5)
        #expect(sweep.nextOverdue(isIdle: false) == nil)
        #expect(sweep.nextOverdue(isIdle: true) == 2)
        #expect(sweep.nextOverdue(isIdle: true) == 4)
        #expect(sweep.nextOverdue(isIdle: true) == nil)
    }

    @Test func `the newest event is never too much`() {
        let sweep = RetentionSweep(defaults: Retention(events: 0, bytes: 0))
        #expect(!sweep.exceeds(events: 1, bytes: 9_999_999, own: Retention()))
        #expect(sweep.exceeds(events: 2, bytes: 0, own: Retention()))
    }

    @Test func `the more topics there are, the longer the pause after looking at all of them`() {
        for count in [10, 1_000_000] {
            var sweep = RetentionSweep(defaults: Retention(age: 1))
            #expect(sweep.nextInspection(at: now) == 0)
            sweep.inspected(count, through: 7, sawOwnBounds: false, at: now)
            #expect(sweep.nextInspection(at: now) == 7)
            sweep.inspected(0, through: nil, sawOwnBounds: false, at: now)
            let pause = max(RetentionSweep.pause, Int64(count) / 10)
            #expect(sweep.nextInspection(at: now.advanced(byMilliseconds: pause - 1)) == nil)
            #expect(sweep.nextInspection(at: now.advanced(byMilliseconds: pause)) == 0)
            #expect(sweep.nextInspection(at: now.advanced(byMilliseconds: -1)) == 0, "the clock was set back")
        }
    }

    @Test func `without any bounds topics are looked at once, and again when some are given`() {
        var sweep = RetentionSweep(defaults: Retention())
        let later = now.advanced(byMilliseconds: 3_600_000)
        #expect(sweep.nextInspection(at: now) == 0)
        sweep.inspected(5, through: 5, sawOwnBounds: false, at: now)
        // While the round is under way.
        sweep.boundsChanged(of: 3)
        sweep.inspected(0, through: nil, sawOwnBounds: false, at: now)
        #expect(sweep.nextOverdue(isIdle: false) == 3)
        #expect(sweep.nextInspection(at: later) == 0)
        sweep.inspected(5, through: nil, sawOwnBounds: false, at: later)
        #expect(sweep.nextInspection(at: .latest) == nil)
        #expect(!sweep.mayBound)
    }
}
