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

    @Test("attempts that fail after their endpoint has become ordered are made again in order", arguments: [1, 3, 6])
    func orderedWhileSeveralAreUnderWay(atOnce: Int) throws {
        for isBackwards in [false, true] {
            var play = Play()
            play.add(6, to: "a")
            try play.set("a")
            play.run()
            #expect(play.ids == Array(1...6))
            play.add(1, to: "a")
            try play.set("a", ordered: true)
            play.run()
            let ids = isBackwards ? Array(play.ids.reversed()) : play.ids
            for first in stride(from: 0, to: 6, by: atOnce) {
                let ended = Set(ids[first..<first + atOnce])
                play.end(Self.error) { ended.contains($0.delivery.id) && $0.delivery.attempts == 0 }
            }
            for id in Int64(1)...7 {
                play.advance(to: play.now + 60_000)
                #expect(play.ids == [id])
                play.end(Self.ok)
            }
            #expect(play.rows["a"]?.isEmpty == true && play.scheduler.lanes.queuedBytes == 0)
        }
    }

    @Test("what has failed is not overtaken if what was under way beside it is delivered, or not attempted")
    func orderedWhileOneOfTwoFails() throws {
        let endings: [TransportResult.Ending] = [.answered(Self.ok), .aborted]
        for ending in endings {
            var play = Play()
            play.add(2, to: "a")
            try play.set("a")
            play.run()
            play.add(1, to: "a")
            try play.set("a", ordered: true)
            play.run()
            play.end(Self.error) { $0.delivery.id == 1 }
            play.end(ending) { $0.delivery.id == 2 }
            #expect(play.underWay.isEmpty)
            play.advance(to: play.now + 60_000)
            #expect(play.ids == [1])
        }
    }

    @Test("a delivery that waits for its retry when its endpoint becomes ordered is not sent early once it is first")
    func orderedWhileASecondWaits() throws {
        var play = Play()
        play.add(1, to: "a")
        play.add(1, to: "a", notBefore: play.now + 30_000)
        try play.set("a", ordered: true)
        play.run()
        #expect(play.ids == [1])
        let start = play.now
        play.end(Self.ok)
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 29_999)
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 30_000)
        #expect(play.ids == [2])
    }

    /// When a topic is deleted of which an event is first in order.
    enum Deletion: CaseIterable { case beforeItIsSent, whileItIsUnderWay, whileItWaits, whileItIsRead }

    @Test("the head of an ordered endpoint goes with its topic, and what follows is sent", arguments: Deletion.allCases)
    func deletedHead(deletion: Deletion) throws {
        var play = Play(schedule: [.seconds(3600)])
        play.add(1, to: "a", of: "bad")
        play.add(2, to: "a", of: "good")
        try play.set("a", ordered: true)
        switch deletion {
        case .beforeItIsSent:
            play.scheduler.hold("a")
            play.run()
            play.delete("bad")
            play.scheduler.release("a")
        case .whileItIsUnderWay:
            play.run()
            play.delete("bad")
            play.run()
            #expect(play.ids == [1])
            play.end(Self.error)
        case .whileItWaits:
            play.run()
            play.end(Self.error)
            play.advance(to: play.now + 10_000)
            #expect(play.underWay.isEmpty)
            play.delete("bad")
        case .whileItIsRead:
            let taken = play.scheduler.takeRead(now: play.now)
            let read = try #require(taken)
            let due = play.due(read)
            play.delete("bad")
            play.scheduler.finish(read, due, now: play.now)
        }
        play.run()
        for id in Int64(2)...3 {
            #expect(play.ids == [id])
            play.end(Self.ok)
        }
        #expect(play.underWay.isEmpty && play.scheduler.lanes.queuedBytes == 0)
    }

    @Test("what is queued of a topic goes with it, also what was renewed; what is not of it stays")
    func deletedQueue() throws {
        var play = Play(schedule: [.seconds(5)])
        play.add(4, to: "a", of: "leak")
        play.add(1, to: "a", of: "other")
        play.add(1, to: "b", of: "other")
        try play.set("a", maxInFlight: 1)
        try play.set("b", maxInFlight: 1)
        play.run()
        #expect(Set(play.ids) == [1, 6])
        play.renew(1, of: "a")
        play.run()
        let reads = play.reads
        play.delete("leak")
        play.run()
        #expect(play.reads == reads + 1, "only that one is read again")
        play.end(Self.error) { $0.delivery.id == 1 }
        play.advance(to: play.now + 60_000)
        #expect(Set(play.ids) == [5, 6])
        play.end(Self.ok)
        play.advance(to: play.now + 60_000)
        #expect(play.underWay.isEmpty && play.rows.values.allSatisfy { $0.isEmpty })
    }
}
