import Testing

@testable import Webhooks

/// What this machine has no room for, and who gets the room there is.
extension DeliverySchedulerTests {
    private static let shortage = "no socket"

    @Test("an attempt that could not be made here counts nowhere, and is made a moment later")
    func shortage() throws {
        var play = Play()
        play.add(1, to: "a")
        try play.set("a")
        play.run()
        let start = play.now
        play.end(.unmade(Self.shortage))
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 999)
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 1000)
        #expect(play.underWay.map(\.delivery.attempts) == [0])
        play.end(Self.ok)
        #expect(play.recorded.map(\.attempts) == [1])
        #expect(play.recorded.map(\.answer.failure) == [nil])
        #expect(play.scheduler.attempts.inFlight == 0)
    }

    @Test("a lookup that outlasts its attempt counts until it has ended, and a stop does not wait for it")
    func leftLookups() throws {
        var play = Play(inFlight: 8)
        for number in 0..<20 {
            play.add(1, to: "hangs\(number)")
            try play.set("hangs\(number)", url: "http://h\(number).example/")
        }
        play.run()
        let start = play.now
        var most = 0
        while play.now < start + 25_000 {
            most = max(most, play.scheduler.attempts.inFlight)
            // Their time to connect is over.
            play.advance(to: play.now + 5_000)
            play.end(.answered(Self.timeout), leavesLookup: true)
        }
        #expect(most <= 8)
        let left = play.scheduler.attempts.inFlight
        // What is not known to hang has room still.
        #expect(left >= 4 && left < 8)
        play.advance(to: start + 30_000)
        #expect(!play.underWay.isEmpty)
        play.end(.answered(Self.timeout), leavesLookup: true)
        play.scheduler.stop(deadline: play.now + 10_000)
        play.run()
        play.end(.answered(Self.timeout), leavesLookup: true)
        #expect(play.isFinished)
    }

    @Test("however often it cannot be made, it is neither dead nor recorded, and the pauses grow to 16 s")
    func shortageForLong() throws {
        var play = Play(schedule: [.milliseconds(1)])
        play.add(1, to: "a")
        try play.set("a")
        play.run()
        var pauses: [Int64] = []
        for _ in 0..<8 {
            let failedAt = play.now
            play.end(.unmade(Self.shortage))
            while play.underWay.isEmpty { play.advance(to: try #require(play.waitsUntil)) }
            pauses.append(play.now - failedAt)
        }
        #expect(pauses == [1000, 2000, 4000, 8000, 16_000, 16_000, 16_000, 16_000])
        #expect(play.recorded.isEmpty)
        // The first that could be made ends it.
        play.end(Self.error)
        play.advance(to: play.now + 1)
        let failedAt = play.now
        play.end(.unmade(Self.shortage))
        play.advance(to: failedAt + 1000)
        #expect(play.ids == [1])
    }

    @Test("while attempts cannot be made one at a time is tried, and an ordered endpoint keeps its order")
    func shortageOneByOne() throws {
        var play = Play()
        play.add(20, to: "a")
        play.add(3, to: "b")
        try play.set("a", maxInFlight: 5)
        try play.set("b", ordered: true)
        play.run()
        #expect(play.count("a") == 5)
        play.end(.unmade(Self.shortage))
        play.advance(to: play.now + 1000)
        #expect(play.count("a") == 1)
        #expect(play.underWay.filter { $0.destination.endpoint.id == "b" }.map(\.delivery.id) == [21])
        play.end(Self.ok)
        #expect(play.count("a") == 5)
        #expect(play.underWay.filter { $0.destination.endpoint.id == "b" }.map(\.delivery.id) == [22])
    }

    @Test("an endpoint that is removed, disabled or gone while its attempt cannot be made is left alone")
    func shortageOfOneThatGoes() throws {
        var play = Play()
        play.add(3, to: "a")
        try play.set("a")
        play.run()
        _ = play.scheduler.remove("a")
        play.end(.unmade(Self.shortage))
        play.advance(to: play.now + 60_000)
        #expect(play.underWay.isEmpty)
        #expect(play.scheduler.lanes.slots.allSatisfy { $0 == nil })
    }

    @Test("endpoints that hang never take what those that answer need, however many they are")
    func sharesOfHanging() throws {
        var play = Play(inFlight: 16)
        try play.set("good")
        for number in 0..<100 {
            play.add(50, to: "h\(number)")
            try play.set("h\(number)")
        }
        play.add(1, to: "good")
        _ = play.scheduler.wake("good")
        play.run()
        // Nobody is known yet.
        #expect(play.underWay.count == 12)
        while play.count("good") == 0 {
            play.end(Self.timeout)
            play.advance(to: play.now + 15_000)
            try #require(play.now < 1_700_000_300_000)
        }
        play.end(Self.ok) { $0.destination.endpoint.id == "good" }
        // Once it is known to answer it is served at once, each time.
        for _ in 0..<50 {
            play.advance(to: play.now + 10)
            #expect(play.underWay.count { $0.destination.endpoint.id != "good" } <= 12)
            play.offer(1, to: "good")
            #expect(play.count("good") == 1)
            play.end(Self.ok) { $0.destination.endpoint.id == "good" }
        }
        // And when all others are known to hang, one that is new is, too.
        for _ in 0..<40 {
            play.end(Self.timeout)
            play.advance(to: play.now + 15_000)
        }
        #expect(play.underWay.count == 8)
        play.add(1, to: "new")
        try play.set("new")
        play.run()
        #expect(play.count("new") == 1)
        play.end(Self.ok)
        #expect(play.scheduler.attempts.shares.unknown >= 0 && play.scheduler.attempts.shares.slow >= 0)
    }

    @Test("what waits for its share is not forgotten when others before it have nothing more to send")
    func sharesPassOn() throws {
        var play = Play(inFlight: 4)
        for number in 0..<20 {
            play.add(1, to: "h\(number)")
            try play.set("h\(number)")
        }
        play.run()
        // Half of those that wait go.
        for number in 3..<12 { play.abort(play.scheduler.remove("h\(number)")) }
        var seen: Set<String> = []
        for _ in 0..<40 where seen.count < 11 {
            seen.formUnion(play.underWay.map(\.destination.endpoint.id))
            play.end(Self.ok)
        }
        #expect(seen.isSuperset(of: (12..<20).map { "h\($0)" }))
        #expect(play.scheduler.attempts.inFlight == 0)
        #expect(play.scheduler.attempts.shares.unknown == 0)
    }

    @Test("an attempt at a name counts for what it takes to look it up")
    func weights() throws {
        var play = Play(inFlight: 12)
        play.scheduler = DeliveryScheduler(
            limits: {
                var limits = DeliveryScheduler.Limits()
                limits.inFlight = 12
                limits.perName = 3
                return limits
            }(),
            policy: RetryPolicy(jitter: 0)
        )
        for number in 0..<20 {
            play.add(1, to: "n\(number)")
            try play.set("n\(number)", url: "http://n\(number).example/")
        }
        play.run()
        #expect(play.underWay.count == 3)
        #expect(play.scheduler.attempts.inFlight == 9)
        while !play.underWay.isEmpty { play.end(Self.ok) }
        #expect(play.recorded.count == 20)
        #expect(play.scheduler.attempts.inFlight == 0)
        for number in 0..<20 {
            play.add(1, to: "a\(number)")
            try play.set("a\(number)", url: "http://192.0.2.\(number)/")
        }
        play.run()
        #expect(play.underWay.count == 9)
    }
}
