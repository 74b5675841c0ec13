import Testing

@testable import Webhooks

/// How many attempts may be under way, and how many begin in a second.
extension DeliverySchedulerTests {
    @Test("shares the bound on all fairly, and keeps room for those who answer while others hang")
    func fairness() throws {
        var play = Play(inFlight: 128)
        for index in 0..<20 {
            play.add(200, to: "hanging\(index)")
            try play.set("hanging\(index)")
        }
        play.run()
        // Half of the bound went to the first, by turns; the rest got one each.
        #expect(play.underWay.count <= 128)
        for index in 0..<20 { #expect(play.count("hanging\(index)") >= 1) }
        play.add(500, to: "answering")
        try play.set("answering")
        play.run()
        #expect(play.count("answering") == 1)
        play.end(Self.ok) { $0.destination.endpoint.id == "answering" }
        #expect(play.count("answering") == 16)
        while play.count("answering") > 0 { play.end(Self.ok) { $0.destination.endpoint.id == "answering" } }
        #expect(play.rows["answering"]?.isEmpty == true)
        #expect(play.underWay.count <= 128)
    }

    @Test("those that stopped answering give way to the others once half of the bound is in use")
    func suspects() throws {
        var play = Play(inFlight: 32, schedule: [.milliseconds(1), .milliseconds(1), .milliseconds(1)])
        for id in ["a", "b", "c", "d", "e", "f"] {
            play.add(100, to: id)
            try play.set(id)
        }
        play.run()
        play.end(Self.timeout)
        #expect(play.underWay.count >= 16)
        #expect(play.underWay.count <= 18)
    }

    @Test("a rate limit spaces attempts out")
    func rate() throws {
        var play = Play()
        play.add(100, to: "a")
        try play.set("a", maxInFlight: 1000, ratePerSecond: 10)
        play.run()
        #expect((1...2).contains(play.underWay.count))
        play.advance(to: play.now + 3000)
        #expect((30...33).contains(play.underWay.count))
    }

    @Test("one that is braked for longer than a retry waits is tried again when the brake lets it, and not forgotten")
    func brakeOutlastsRetry() throws {
        var play = Play(schedule: Array(repeating: .milliseconds(20), count: 10_000))
        play.add(2, to: "a")
        try play.set("a", ordered: true)
        play.run()
        var failures = 0
        while failures < 500 {
            if play.underWay.isEmpty {
                let next = try #require(play.waitsUntil)
                try #require(next <= play.now + 100)
                play.advance(to: next)
            } else {
                failures += 1
                play.end(Self.error)
            }
        }
    }

    @Test("what has begun counts against the rate when the registration is replaced, also under another rate")
    func rateGoesOn() throws {
        var play = Play()
        play.add(1000, to: "a")
        for step in 0..<50 {
            try play.set("a", maxInFlight: 1000, ratePerSecond: step < 25 ? 10 : 20)
            play.run()
            play.scheduler.reread("a")
            play.run()
        }
        #expect((1...4).contains(play.underWay.count))
        play.advance(to: play.now + 1000)
        #expect((20...25).contains(play.underWay.count))
        // A rate that was far slower does not hold back the one in its place.
        try play.set("b", ratePerSecond: 0.001)
        play.add(10, to: "b")
        play.run()
        try play.set("b", maxInFlight: 1000, ratePerSecond: 1000)
        play.run()
        play.advance(to: play.now + 20)
        #expect(play.count("b") == 10)
    }

    @Test("the brake stays on when a registration is replaced, unless by another URL or by enabling it again")
    func brakeStays() throws {
        var play = Play(schedule: [.seconds(3600)])
        play.add(1000, to: "a")
        try play.set("a", maxInFlight: 100)
        play.run()
        play.end(Self.error)
        func isBraked() -> Bool { play.scheduler.lanes.slots[0]?.pace.brake.isOn == true }
        #expect(isBraked())
        try play.set("a", maxInFlight: 50)
        play.scheduler.reread("a")
        #expect(isBraked())
        try play.set("a", isEnabled: false)
        #expect(isBraked())
        try play.set("a")
        #expect(!isBraked())
        for _ in 0..<20 {
            play.scheduler.lanes.with(0) { $0.pace.brake.note(hasFailed: true, areOthersAnswered: false, jitter: 0) }
        }
        #expect(isBraked())
        try play.set("a", url: "http://example.com/other")
        #expect(!isBraked())
    }

    @Test("an endpoint that fails every time is tried at a bounded rate, and at full speed after one success")
    func braking() throws {
        var play = Play(schedule: [.seconds(3600)])
        try play.set("a", maxInFlight: 100)
        play.add(5_000, to: "a")
        var ended = 0
        func go(for milliseconds: Int64, _ answer: AttemptAnswer) {
            for _ in 0..<milliseconds {
                play.run()
                ended += play.underWay.count
                play.end(answer)
                play.now += 1
            }
        }
        go(for: 2_000, Self.error)
        #expect((150...300).contains(ended))
        ended = 0
        go(for: 100, Self.ok)
        #expect(ended > 3_000)
    }

    @Test("attempts at endpoints that answer well begin before the others")
    func wellFirst() throws {
        var play = Play()
        for id in ["failing", "well", "new"] { try play.set(id) }
        for id in ["failing", "well"] { play.add(1, to: id) }
        play.run()
        play.end(Self.error) { $0.destination.endpoint.id == "failing" }
        play.end(Self.ok)
        for id in ["failing", "new", "well"] {
            play.add(1, to: id)
            let committed = try #require(play.rows[id]?.keys.max())
            play.scheduler.offer(id, in: .raw, [play.delivery(committed, to: id)])
        }
        #expect(
            play.scheduler.takeAttempts(now: play.now).map(\.destination.endpoint.id) == ["well", "failing", "new"]
        )
    }
}
