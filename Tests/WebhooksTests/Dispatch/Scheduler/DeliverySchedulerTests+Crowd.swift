import Testing

@testable import Webhooks

/// Endpoints that take slots and do not give them back, and one beside them that answers.
extension DeliverySchedulerTests {
    /// What those do that are not the healthy one.
    enum Crowd: CaseIterable {
        case hang, answerAfterAlmostTheTimeout, failAtOnce, alternate
    }

    @Test("who has thousands of endpoints does not have another's wait for all of them")
    func owners() throws {
        var play = Play()
        try play.set("good", owner: "another")
        play.add(1, to: "good")
        play.run()
        play.end(AttemptAnswer(status: 204))
        for number in 0..<2_000 {
            try play.set("e\(number)", owner: "many")
            play.add(100, to: "e\(number)")
        }
        play.run()
        // All of them answer well, and take all that there is.
        for _ in 0..<8 { play.end(AttemptAnswer(status: 204)) }
        #expect(play.underWay.count > 700)
        for _ in 0..<50 {
            play.add(1, to: "good")
            play.scheduler.reread("good")
            play.run()
            var ends = 0
            while play.count("good") == 0, ends < 100 {
                let first = try #require(play.underWay.first?.token)
                play.end(AttemptAnswer(status: 204)) { $0.token == first }
                ends += 1
            }
            #expect(ends <= 3, "it has waited for \(ends) of the others")
            play.end(AttemptAnswer(status: 204)) { $0.destination.endpoint.id == "good" }
        }
    }

    @Test("of many new endpoints a few are taken for steady, and those that fail are not any more")
    func steadiness() throws {
        var play = Play()
        for number in 0..<40 {
            play.add(1, to: "e\(number)")
            try play.set("e\(number)")
        }
        play.run()
        #expect(play.underWay.count { $0.thread != .others } == 16)
        play.end(AttemptAnswer(failure: .connectionReset))
        play.advance(to: play.now + 5000)
        #expect(play.underWay.count == 40)
        #expect(play.underWay.count { $0.thread != .others } == 0)
    }

    @Test(
        "one that answers finds room at once beside more endpoints than slots, also if all of them answered well before",
        arguments: Crowd.allCases
    )
    func crowd(_ crowd: Crowd) throws {
        let waits = try waits(beside: crowd, of: 100, inFlight: 64)
        // Who hangs that answered before is known a second later, and each second takes a part of the slots only.
        #expect(waits.max() ?? .max < 3000)
        #expect(waits.count { $0 > 0 } < waits.count / 100, "\(waits.filter { $0 > 0 })")
        #expect(waits.count > 2500)
    }

    @Test("one that gets something now and then waits for no time-out of others either")
    func nowAndThen() throws {
        let waits = try waits(beside: .alternate, of: 1200, inFlight: 1024, pause: 3000, step: 200)
        #expect(waits.count > 10)
        #expect(waits.max() ?? .max < 4000, "\(waits.filter { $0 > 0 })")
    }

    @Test("what is under way is bounded in bytes, and one that answers finds room beside large bodies that hang")
    func largeBodies() throws {
        var play = Play(queuedBytes: 64 << 20)
        play.bodies = 1 << 20
        try play.set("good")
        play.add(1, to: "good")
        play.run()
        play.end(AttemptAnswer(status: 204))
        for number in 0..<400 {
            play.add(4, to: "o\(number)")
            try play.set("o\(number)")
        }
        play.run()
        #expect(play.scheduler.lanes.queuedBytes <= 4 * 64 << 20 + play.bodies)
        let bytes = play.underWay.count * play.bodies
        #expect(bytes > 32 << 20 && bytes <= 128 << 20, "\(bytes)")
        for _ in 0..<50 {
            play.add(1, to: "good")
            play.scheduler.reread("good")
            play.run()
            play.advance(to: play.now + 100)
            #expect(play.count("good") == 1)
            play.end(AttemptAnswer(status: 204)) { $0.destination.endpoint.id == "good" }
        }
        #expect(play.underWay.count * play.bodies <= 128 << 20)
        for _ in 0..<400 where !play.underWay.isEmpty { play.end(AttemptAnswer(status: 204)) }
        #expect(play.rows.values.allSatisfy(\.isEmpty) && play.scheduler.attempts.inFlight == 0)
    }

    @Test("however large a body is, it is sent")
    func hugeBody() throws {
        var play = Play(queuedBytes: 1)
        play.bodies = 200 << 20
        play.add(1, to: "huge")
        try play.set("huge")
        play.run()
        #expect(play.count("huge") == 1)
        play.end(AttemptAnswer(status: 204))
        #expect(play.rows["huge"]?.isEmpty == true && play.scheduler.attempts.inFlight == 0)
    }

    /// How long one endpoint that answers at once waits for its turns, in milliseconds, during a minute in which all others
    /// get something every second.
    private func waits(
        beside crowd: Crowd,
        of others: Int,
        inFlight: Int,
        pause: Int64 = 0,
        step: Int64 = 20
    ) throws -> [Int64] {
        var play = Play(inFlight: inFlight, schedule: Array(repeating: .seconds(1), count: 9))
        let others = (0..<others).map { "o\($0)" }
        for id in others + ["good"] {
            try play.set(id)
            play.run()
            play.advance(to: play.now + 1)
            play.offer(1, to: id)
            play.end(Self.ok)
        }
        var ended: [String: Int] = [:]
        var begun: [UInt64: Int64] = [:]
        var waits: [Int64] = []
        var waitsSince: Int64?
        let start = play.now
        var nextAt = start
        while play.now < start + 60_000 {
            if (play.now - start) % 1000 == 0 { for id in others { play.offer(1, to: id) } }
            if waitsSince == nil, play.now >= nextAt {
                play.offer(1, to: "good")
                waitsSince = play.now
            }
            for request in play.underWay where begun[request.token] == nil { begun[request.token] = play.now }
            if play.count("good") > 0, let since = waitsSince {
                waits.append(play.now - since)
                waitsSince = nil
                nextAt = play.now + pause
                play.end(Self.ok) { $0.destination.endpoint.id == "good" }
            }
            for request in play.underWay where request.destination.endpoint.id != "good" {
                let (id, took) = (request.destination.endpoint.id, play.now - (begun[request.token] ?? play.now))
                let answersNow = crowd == .alternate && ended[id, default: 0] % 2 == 1
                var answer: AttemptAnswer?
                switch crowd {
                case _ where answersNow: answer = Self.ok
                case .hang, .alternate: if took >= 15_000 { answer = Self.timeout }
                case .answerAfterAlmostTheTimeout: if took >= 14_900 { answer = Self.ok }
                case .failAtOnce: answer = Self.error
                }
                guard var answer else { continue }
                answer.timings = AttemptTimings(total: took * 1000)
                ended[id, default: 0] += 1
                play.end(answer) { $0.token == request.token }
            }
            #expect(play.scheduler.lanes.timers.times.count <= others.count + 1)
            #expect(play.scheduler.attempts.recent.count <= inFlight + 1024)
            play.advance(to: play.now + step)
        }
        return waits
    }

    @Test("however many attempts one endpoint would take, it gets an eighth")
    func oneThatTakesAll() throws {
        var play = Play(inFlight: 64)
        try play.set("a", maxInFlight: 1024)
        try play.set("b")
        play.run()
        play.offer(1, to: "a")
        play.offer(1, to: "b")
        play.end(Self.ok)
        for _ in 0..<100 { play.offer(20, to: "a") }
        play.run()
        #expect(play.count("a") == 8)
        play.offer(1, to: "b")
        #expect(play.count("b") == 1)
    }

    @Test("one that is new is served at once when others than slots are known to hang")
    func newBesideHanging() throws {
        var play = Play(inFlight: 64)
        for number in 0..<100 {
            play.add(10, to: "h\(number)")
            try play.set("h\(number)")
        }
        play.run()
        for _ in 0..<10 {
            play.advance(to: play.now + 15_000)
            play.end(Self.timeout)
        }
        play.advance(to: play.now + 1000)
        try play.set("new")
        play.run()
        play.offer(1, to: "new")
        #expect(play.count("new") == 1)
    }

    @Test("a rate and a retry that is far off are one timer")
    func timersOfOneLane() throws {
        var play = Play(schedule: [.seconds(86_400)])
        try play.set("a", ratePerSecond: 20)
        play.run()
        play.offer(1, to: "a")
        play.end(Self.error)
        for _ in 0..<2000 {
            play.offer(3, to: "a")
            play.end(Self.ok)
            play.advance(to: play.now + 100)
            #expect(play.scheduler.lanes.timers.times.count <= 1)
        }
    }
}
