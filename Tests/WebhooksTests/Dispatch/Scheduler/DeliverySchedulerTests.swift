import Testing

@testable import Webhooks

/// The scheduler without sockets or clocks: a store that answers at once, and attempts that end when a test says so.
@Suite("DeliveryScheduler")
struct DeliverySchedulerTests {
    static let ok = AttemptAnswer(status: 200)
    static let error = AttemptAnswer(status: 500, failure: .status)
    static let timeout = AttemptAnswer(failure: .timeout)

    @Test("never exceeds an endpoint's window, and delivers everything exactly once")
    func window() throws {
        var play = Play()
        play.add(1000, to: "a")
        try play.set("a", maxInFlight: 7)
        play.run()
        var seen: [Int64] = []
        while !play.underWay.isEmpty {
            #expect(play.count("a") <= 7)
            let first = try #require(play.underWay.first)
            seen.append(first.delivery.id)
            play.end(Self.ok) { $0.token == first.token }
        }
        #expect(seen.sorted() == Array(1...1000))
        #expect(play.rows["a"]?.isEmpty == true)
        #expect(play.scheduler.attempts.inFlight == 0)
        #expect(play.scheduler.lanes.queuedBytes == 0)
    }

    @Test("retries when due and not before, then gives up")
    func retries() throws {
        var play = Play()
        play.add(1, to: "a")
        try play.set("a")
        play.run()
        let start = play.now
        play.end(Self.error)
        #expect(play.recorded.map(\.result) == [.retry(notBefore: start + 5000)])
        play.advance(to: start + 4999)
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 5000)
        #expect(play.ids == [1])
        play.end(Self.error)
        play.advance(to: start + 64_999)
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 65_000)
        #expect(play.ids == [1])
        play.end(Self.error)
        #expect(play.recorded.last?.result == .dead)
        #expect(play.recorded.map(\.attempts) == [1, 2, 3])
        play.advance(to: play.now + 2000)
        #expect(play.waitsUntil == nil)
    }

    @Test("a retry is on time while another delivery of the endpoint hangs")
    func retryBesideHanging() throws {
        var play = Play()
        play.add(2, to: "a")
        try play.set("a")
        play.run()
        let start = play.now
        play.end(Self.error) { $0.delivery.id == 2 }
        play.advance(to: start + 5000)
        #expect(play.ids == [1, 2])
    }

    @Test("picks up retries from before a restart when they are due, also while others are in flight")
    func restart() throws {
        var play = Play()
        play.add(1, to: "a")
        play.add(1, to: "a", notBefore: play.now + 3000)
        play.add(1, to: "a", notBefore: play.now + 9000)
        try play.set("a")
        play.run()
        #expect(play.ids == [1])
        play.advance(to: play.now + 4000)
        #expect(play.ids == [1, 2])
        play.end(Self.ok)
        play.advance(to: play.now + 5000)
        #expect(play.ids == [3])
    }

    @Test("rests when there is nothing to do: no reads, no timer")
    func rests() throws {
        var play = Play()
        try play.set("a")
        play.run()
        #expect(play.reads == 1)
        #expect(play.waitsUntil == nil)
        play.add(1, to: "a")
        let calls1 = play.scheduler.wake("a")
        #expect(calls1)
        let calls2 = play.scheduler.wake("a")
        #expect(!calls2)
        play.run()
        play.end(Self.ok)
        #expect(play.reads == 2)
        #expect(play.waitsUntil == nil)
    }

    @Test("a disabled endpoint gets nothing, and everything once it is enabled")
    func disabled() throws {
        var play = Play()
        play.add(3, to: "a")
        try play.set("a", isEnabled: false)
        play.run()
        let calls3 = play.scheduler.wake("a")
        #expect(!calls3)
        play.run()
        #expect(play.underWay.isEmpty)
        #expect(play.reads == 0)
        try play.set("a")
        play.run()
        #expect(play.ids == [1, 2, 3])
    }

    @Test("410 ends it until the endpoint is set anew")
    func gone() throws {
        var play = Play()
        play.add(5, to: "a")
        try play.set("a", maxInFlight: 1)
        play.run()
        play.end(AttemptAnswer(status: 410, failure: .status))
        #expect(play.recorded.map(\.result) == [.gone])
        #expect(play.underWay.isEmpty)
        let calls4 = play.scheduler.wake("a")
        #expect(!calls4)
        play.run()
        #expect(play.underWay.isEmpty)
        try play.set("a", maxInFlight: 1)
        play.run()
        #expect(play.ids == [2])
    }

    @Test("410 to what began before it was enabled again ends nothing, and the delivery is due at once")
    func goneBefore() throws {
        var play = Play()
        play.add(1, to: "a")
        try play.set("a", maxInFlight: 1)
        play.run()
        try play.set("a", maxInFlight: 1, generation: 1)
        play.add(1, to: "a")
        play.run()
        play.end(AttemptAnswer(status: 410, failure: .status))
        #expect(play.recorded.map(\.result) == [.retry(notBefore: play.now)])
        #expect(!play.underWay.isEmpty)
    }

    @Test("an attempt that was under way when its endpoint was paused is no failing time")
    func failingOverPause() throws {
        var play = Play()
        play.add(2, to: "a")
        try play.set("a")
        play.run()
        play.advance(to: play.now + 3000)
        let first = AttemptAnswer(failure: .timeout, timings: AttemptTimings(total: 3_000_000))
        play.end(first) { $0.delivery.id == 1 }
        #expect(play.recorded.last?.failing == 3000)
        try play.set("a", isEnabled: false)
        play.advance(to: play.now + 3000)
        play.end(AttemptAnswer(failure: .timeout, timings: AttemptTimings(total: 6_000_000)))
        #expect(play.recorded.map(\.delivery) == [1, 2] && play.recorded.last?.failing == 0)
    }

    @Test("removal names the attempts to abort, forgets the lane, and a new registration starts afresh")
    func removal() throws {
        var play = Play()
        play.add(20, to: "a")
        try play.set("a", maxInFlight: 2)
        play.run()
        let tokens = play.scheduler.remove("a")
        #expect(Set(tokens) == Set(play.underWay.map(\.token)))
        #expect(play.scheduler.lanes.queuedBytes == 0)
        play.abort(tokens)
        play.run()
        #expect(play.scheduler.lanes.indices.isEmpty)
        #expect(play.recorded.isEmpty)
        try play.set("a", maxInFlight: 2)
        play.run()
        #expect(play.ids == [1, 2])
    }

    @Test("an endpoint removed and set again while attempts are being aborted sends each delivery once at a time")
    func removalAndReturn() throws {
        var play = Play()
        play.add(2, to: "a")
        try play.set("a", maxInFlight: 2)
        play.run()
        let tokens = play.scheduler.remove("a")
        try play.set("a", maxInFlight: 2)
        play.run()
        #expect(play.ids == [1, 2])
        play.abort(tokens)
        play.run()
        #expect(play.ids == [1, 2])
        #expect(Set(play.underWay.map(\.token)).isDisjoint(with: tokens))
    }

    @Test("lanes come and go without a trace")
    func churn() throws {
        var play = Play()
        for index in 0..<500 {
            play.add(3, to: "e\(index)")
            try play.set("e\(index)")
            play.run()
            if index.isMultiple(of: 2) { play.end(Self.ok) }
            play.abort(play.scheduler.remove("e\(index)"))
            play.run()
        }
        #expect(play.scheduler.lanes.indices.isEmpty)
        #expect(play.scheduler.lanes.slots.count <= 2)
        #expect(play.scheduler.attempts.inFlight == 0)
    }

    @Test("an endpoint whose attempts end faster than they are recorded keeps no other from being read")
    func recordingAndReadingInTurn() throws {
        var play = Play(inFlight: 8192)
        try play.set("fast", maxInFlight: 1024)
        try play.set("other")
        play.add(4_000, to: "fast")
        play.run()
        let results = play.underWay.map { TransportResult(request: $0, ending: .answered(Self.ok)) }
        play.scheduler.finish(results, now: play.now) { 0 }
        play.add(1, to: "other")
        _ = play.scheduler.wake("other")
        // While the first of many batches is being recorded.
        #expect(play.scheduler.advance(to: play.now).record.count == 256)
        let taken = play.scheduler.takeRead(now: play.now)
        let read = try #require(taken)
        #expect(read.endpoint.id == "other")
        play.scheduler.finish(read, play.due(read), now: play.now)
        #expect(play.scheduler.advance(to: play.now).begin.map(\.destination.endpoint.id) == ["other"])
    }

    @Test("reads ahead no more than the budget in bytes")
    func budget() throws {
        var play = Play(queuedBytes: 10_000)
        play.bodies = 1000
        for index in 0..<50 {
            play.add(100, to: "e\(index)")
            try play.set("e\(index)", maxInFlight: 4)
        }
        play.run()
        // Each takes 512 bytes beside its body, and what is read last may be four.
        #expect(play.scheduler.lanes.queuedBytes <= 10_000 + 4 * 1_512)
        for index in 0..<50 { #expect(play.count("e\(index)") >= 1) }
        while !play.underWay.isEmpty { play.end(Self.ok) }
        #expect(play.rows.values.count { !$0.isEmpty } == 0)
        #expect(play.scheduler.lanes.queuedBytes == 0)
    }

    @Test("when the store fails, nothing is lost: it is asked again after a pause that grows")
    func storeFailure() throws {
        var play = Play()
        play.add(1, to: "a")
        try play.set("a")
        var pauses: [Int64] = []
        for _ in 0..<8 {
            let taken = play.scheduler.takeRead(now: play.now)
            let read = try #require(taken)
            play.scheduler.finish(read, nil, now: play.now)
            #expect(play.scheduler.takeRead(now: play.now) == nil)
            let time = play.scheduler.advance(to: play.now).next
            pauses.append(time - play.now)
            play.now = time
        }
        #expect(pauses == [100, 200, 400, 800, 1600, 3200, 5000, 5000])
        play.run()
        #expect(play.ids == [1])
        play.scheduler.finish(
            play.underWay.map { TransportResult(request: $0, ending: .answered(Self.ok)) },
            now: play.now
        ) { 0 }
        #expect(play.scheduler.advance(to: play.now).record.count == 1)
        play.scheduler.recordFailed(now: play.now)
        play.now += 100
        play.run()
        #expect(play.recorded.map(\.result) == [.delivered])
    }

    @Test("stopping begins nothing, waits for what is under way, and aborts it when the time is up")
    func stopping() throws {
        var play = Play()
        play.add(10, to: "a")
        try play.set("a", maxInFlight: 3)
        play.run()
        play.scheduler.stop(deadline: play.now + 10_000)
        play.end(Self.ok) { $0.delivery.id == 1 }
        #expect(play.ids == [2, 3])
        #expect(play.recorded.map(\.delivery) == [1])
        #expect(play.waitsUntil == play.now + 10_000)
        #expect(!play.isFinished)
        play.now += 10_000
        play.run()
        #expect(play.isFinished)
        #expect(play.recorded.count == 1)
        #expect(play.rows["a"]?.count == 9)
    }
}
