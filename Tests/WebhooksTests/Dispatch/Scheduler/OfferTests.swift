import Testing

@testable import Webhooks

/// Deliveries that are handed to the scheduler as they are committed.
@Suite("DeliveryScheduler: offers")
struct OfferTests {
    typealias Play = DeliverySchedulerTests.Play

    private let ok = DeliverySchedulerTests.ok
    private let error = DeliverySchedulerTests.error

    /// A play in which an endpoint has been read to the end.
    private func caughtUp(
        _ id: String = "a",
        maxInFlight: Int = 16,
        ordered: Bool = false,
        queuedBytes: Int = 1_000_000,
        schedule: [Duration] = [.seconds(5), .seconds(60)]
    ) throws -> Play {
        var play = Play(queuedBytes: queuedBytes, schedule: schedule)
        try play.set(id, maxInFlight: maxInFlight, ordered: ordered)
        play.run()
        play.reads = 0
        return play
    }

    /// Ends everything well until nothing is left, and tells whether that is so and each was delivered once.
    private func drain(_ play: inout Play, sourceLocation: SourceLocation = #_sourceLocation) {
        play.run()
        while !play.underWay.isEmpty { play.end(ok) }
        let delivered = play.recorded.filter { $0.result == .delivered }.map(\.delivery)
        #expect(play.rows.values.allSatisfy { $0.isEmpty }, sourceLocation: sourceLocation)
        #expect(Set(delivered).count == delivered.count, sourceLocation: sourceLocation)
        #expect(
            play.scheduler.lanes.queuedBytes == 0 && play.scheduler.attempts.inFlight == 0,
            sourceLocation: sourceLocation
        )
    }

    @Test("go out at once and without a read, if all before them is there", arguments: [false, true])
    func withoutReading(ordered: Bool) throws {
        var play = try caughtUp(ordered: ordered)
        play.offer(1, to: "a")
        // One that has answered once may have more waiting.
        play.end(ok)
        play.offer(3, to: "a")
        #expect(play.ids == (ordered ? [2] : [2, 3, 4]))
        #expect(!play.scheduler.wantsRead(now: play.now))
        play.offer(2, to: "a")
        drain(&play)
        #expect(play.recorded.map(\.delivery).sorted() == [1, 2, 3, 4, 5, 6])
        #expect(play.reads == 0)
    }

    @Test("wait behind a read that is due, and behind one under way, and are found by it or the next")
    func whileReading() throws {
        var play = try caughtUp(maxInFlight: 2)
        play.add(1, to: "a")
        _ = play.scheduler.wake("a")
        play.offer(1, to: "a")
        #expect(play.underWay.isEmpty, "a read is due")
        let taken = play.scheduler.takeRead(now: play.now)
        let read = try #require(taken)
        let due = [play.delivery(1, to: "a"), play.delivery(2, to: "a")]
        play.offer(1, to: "a")
        #expect(play.underWay.isEmpty, "a read is under way")
        play.scheduler.finish(read, DueDeliveries(due), now: play.now)
        play.run()
        #expect(play.ids == [1, 2])
        drain(&play)
        #expect(play.recorded.count == 3)
    }

    @Test("that come after the store was read, and what was read was sent and recorded, are not sent again")
    func late() throws {
        var play = try caughtUp()
        play.add(2, to: "a")
        let late = [play.delivery(1, to: "a"), play.delivery(2, to: "a")]
        play.scheduler.reread("a")
        play.run()
        while !play.underWay.isEmpty { play.end(ok) }
        play.run()
        #expect(play.recorded.map(\.delivery) == [1, 2])
        play.scheduler.offer("a", in: .raw, late + [play.delivery(3, to: "a")])
        play.add(1, to: "a")
        play.run()
        #expect(play.ids == [3])
        drain(&play)
        #expect(play.recorded.map(\.delivery) == [1, 2, 3])
    }

    @Test("beyond what is read ahead they are read in their turn")
    func full() throws {
        var play = try caughtUp(maxInFlight: 4)
        play.offer(4, to: "a")
        // Nothing has been answered yet: four under way, and four may wait.
        for _ in 0..<8 { play.offer(1, to: "a") }
        #expect(play.ids == [1, 2, 3, 4])
        #expect(
            play.scheduler.lanes.slots[0]?.backlog.queue.count == 4 && play.scheduler.lanes.slots[0]?.reading == .wanted
        )
        drain(&play)
        #expect(play.recorded.count == 12)
        #expect(play.reads > 0)
        play.reads = 0
        play.offer(1, to: "a")
        drain(&play)
        #expect(play.reads == 0, "it has caught up")
    }

    @Test("beyond the budget in bytes they are read in their turn")
    func overBudget() throws {
        var play = try caughtUp(maxInFlight: 1, queuedBytes: 1_000)
        try play.set("b", maxInFlight: 1)
        play.run()
        play.bodies = 1_000
        play.offer(2, to: "a")
        // Each takes 512 bytes beside its body.
        #expect(play.scheduler.lanes.queuedBytes == 1_512)
        play.offer(1, to: "b")
        #expect(play.ids == [1] && play.scheduler.lanes.queuedBytes == 1_512)
        play.run()
        #expect(play.ids == [1, 3], "one that has nothing gets one at a time")
        drain(&play)
        #expect(play.recorded.count == 3)
    }

    @Test("of large bodies no more wait than would be read ahead, so that one endpoint cannot use up the budget")
    func largeBodies() throws {
        var play = try caughtUp(maxInFlight: 16, queuedBytes: 64 << 20)
        play.offer(1, to: "a")
        play.end(ok)
        play.bodies = 65_536
        for _ in 0..<2_000 { play.offer(1, to: "a") }
        #expect(play.underWay.count == 16)
        #expect(play.scheduler.lanes.queuedBytes < 8 << 20)
        play.bodies = 10
        drain(&play)
    }

    @Test("nothing goes to one that is paused, held, gone or unknown, and all of it later")
    func notOpen() throws {
        var play = try caughtUp()
        play.offer(1, to: "nobody")
        #expect(play.underWay.isEmpty)
        try play.set("nobody")
        play.run()
        #expect(play.ids == [1])
        play.end(ok)

        try play.set("a", isEnabled: false)
        play.run()
        play.offer(1, to: "a")
        play.run()
        #expect(play.underWay.isEmpty)
        try play.set("a")
        play.run()
        #expect(play.ids == [2])
        play.end(ok)

        play.scheduler.hold("a")
        play.offer(1, to: "a")
        play.run()
        #expect(play.underWay.isEmpty)
        play.scheduler.release("a")
        play.run()
        #expect(play.ids == [3])

        play.end(AttemptAnswer(status: 410, failure: .status))
        play.offer(1, to: "a")
        play.run()
        #expect(play.underWay.isEmpty)
        try play.set("a")
        play.run()
        #expect(play.ids == [4])
        drain(&play)

        _ = play.scheduler.remove("a")
        play.offer(1, to: "a")
        play.run()
        #expect(play.underWay.isEmpty && play.scheduler.lanes.indices["a"] == nil)
    }

    @Test("in another format than the endpoint's they are read")
    func otherFormat() throws {
        var play = try caughtUp()
        play.offer(1, to: "a", in: .cloudEventsBinary)
        #expect(play.underWay.isEmpty)
        play.run()
        #expect(play.ids == [1] && play.reads == 1)
        // What was taken in the old format and not begun is read anew.
        try play.set("a", maxInFlight: 1)
        play.run()
        play.offer(2, to: "a")
        try play.set("a", maxInFlight: 1, format: .cloudEventsStructured)
        #expect(play.scheduler.lanes.slots[0]?.backlog.queue.isEmpty == true && play.scheduler.lanes.queuedBytes == 0)
        drain(&play)
        #expect(play.recorded.count == 3)
    }

    @Test("made twice, as to one whose patterns overlap, go out once", arguments: [false, true])
    func twice(ordered: Bool) throws {
        var play = try caughtUp(maxInFlight: 2, ordered: ordered)
        for id in play.offer(3, to: "a") { play.scheduler.offer("a", in: .raw, [play.delivery(id, to: "a")]) }
        play.end(ok) { $0.delivery.id == 1 }
        play.scheduler.offer("a", in: .raw, [play.delivery(2, to: "a"), play.delivery(3, to: "a")])
        drain(&play)
        #expect(play.recorded.count == 3)
    }

    @Test("to an ordered endpoint wait behind a head that waits for its retry")
    func behindRetry() throws {
        var play = try caughtUp(ordered: true)
        play.offer(1, to: "a")
        let start = play.now
        play.end(error)
        play.offer(2, to: "a")
        play.run()
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 4_999)
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 5_000)
        #expect(play.ids == [1])
        play.end(ok)
        #expect(play.ids == [2])
        drain(&play)
        #expect(play.reads == 0)
    }

    @Test("to an ordered endpoint do not wait for the retry of a head that is gone")
    func behindNothing() throws {
        var play = try caughtUp(ordered: true)
        play.offer(1, to: "a")
        play.end(error)
        // Its event was deleted, or it was made a dead letter when the endpoint was disabled.
        play.rows["a"] = [:]
        try play.set("a", ordered: true)
        play.run()
        play.offer(1, to: "a")
        #expect(play.ids == [2])
    }
}
