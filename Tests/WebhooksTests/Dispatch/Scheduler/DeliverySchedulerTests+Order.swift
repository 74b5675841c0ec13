import Testing

@testable import Webhooks

/// Endpoints that get one delivery at a time, in sequence, and what is renewed.
extension DeliverySchedulerTests {
    @Test("an ordered endpoint is served one at a time, in sequence; a failing head holds the rest back")
    func ordered() throws {
        var play = Play()
        play.add(3, to: "a")
        try play.set("a", ordered: true)
        play.run()
        #expect(play.ids == [1])
        let start = play.now
        play.end(Self.error)
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 4999)
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 5000)
        #expect(play.ids == [1])
        #expect(play.underWay.first?.delivery.attempts == 1)
        play.end(Self.ok)
        #expect(play.ids == [2])
        play.end(Self.ok)
        #expect(play.ids == [3])
        play.end(Self.ok)
        #expect(play.rows["a"]?.isEmpty == true)
    }

    @Test("an ordered head that fails after its endpoint was given another format is tried again in that, and first")
    func orderedInAnotherFormat() throws {
        var play = Play()
        play.add(3, to: "a")
        try play.set("a", ordered: true)
        play.run()
        try play.set("a", ordered: true, format: .cloudEventsStructured)
        play.run()
        let start = play.now
        play.end(Self.error)
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 5_000)
        #expect(play.ids == [1])
        #expect(play.underWay.first?.delivery.contentType == "cloudevents-structured")
        #expect(play.underWay.first?.delivery.attempts == 1)
        play.end(Self.ok)
        #expect(play.ids == [2])
    }

    @Test("an ordered head that waits is waited for after a restart")
    func orderedRestart() throws {
        var play = Play()
        play.add(1, to: "a", notBefore: play.now + 2000)
        play.add(2, to: "a")
        try play.set("a", ordered: true)
        play.run()
        #expect(play.underWay.isEmpty)
        play.advance(to: play.now + 2000)
        #expect(play.ids == [1])
    }

    @Test("nothing is begun while it is held, by however many; then all is, in order")
    func hold() throws {
        var play = Play()
        play.add(3, to: "a")
        try play.set("a", ordered: true)
        play.run()
        play.scheduler.hold("a")
        play.scheduler.hold("a")
        play.end(Self.ok)
        #expect(play.underWay.isEmpty)
        try play.set("a", ordered: true)
        play.run()
        #expect(play.underWay.isEmpty)
        play.scheduler.release("a")
        play.run()
        #expect(play.underWay.isEmpty)
        play.renew(1, of: "a")
        play.scheduler.release("a")
        play.run()
        for id in Int64(1)...3 {
            #expect(play.ids == [id])
            play.end(Self.ok)
        }
        #expect(play.rows["a"]?.isEmpty == true)
    }

    @Test("what is renewed while an attempt is under way is due when that has ended", arguments: [false, true])
    func renewed(ordered: Bool) throws {
        for answer in [Self.ok, Self.error, Self.timeout] {
            var play = Play(schedule: [.seconds(3600)])
            play.add(2, to: "a")
            try play.set("a", maxInFlight: 1, ordered: ordered)
            play.run()
            play.renew(1, of: "a")
            play.run()
            #expect(play.ids == [1])
            play.end(answer)
            if !ordered { play.end(Self.ok) { $0.delivery.id == 2 } }
            #expect(play.ids == [1])
            #expect(play.underWay.first?.delivery.renewals == 1 && play.underWay.first?.delivery.attempts == 0)
            play.end(Self.ok)
            play.end(Self.ok)
            #expect(play.rows["a"]?.isEmpty == true)
            #expect(play.scheduler.lanes.queuedBytes == 0 && play.scheduler.attempts.inFlight == 0)
        }
    }

    @Test("an ordered head that waits for its retry is neither sent early nor overtaken when its queue is read anew")
    func rereadWhileHeadIsUnrecorded() throws {
        var play = Play()
        play.add(3, to: "a")
        try play.set("a", ordered: true)
        play.run()
        let results = play.underWay.map { TransportResult(request: $0, ending: .answered(Self.error)) }
        play.underWay = []
        play.scheduler.finish(results, now: play.now) { 0 }
        play.scheduler.reread("a")
        play.run()
        #expect(play.underWay.isEmpty)
        play.advance(to: play.now + 5_000)
        #expect(play.ids == [1] && play.underWay.first?.delivery.attempts == 1)
    }
}
