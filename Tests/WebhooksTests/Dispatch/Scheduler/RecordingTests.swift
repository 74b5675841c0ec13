import Testing

@testable import Webhooks

/// When outcomes are recorded: together, but soon.
@Suite("DeliveryScheduler: recording")
struct RecordingTests {
    typealias Play = DeliverySchedulerTests.Play

    private let ok = DeliverySchedulerTests.ok
    private let error = DeliverySchedulerTests.error

    private func caughtUp(_ deliveries: Int, ordered: Bool = false) throws -> Play {
        var play = Play(recordDelay: 10)
        try play.set("a", maxInFlight: 1_000, ordered: ordered)
        play.run()
        play.offer(deliveries, to: "a")
        return play
    }

    @Test("outcomes wait for others, the first of them for the delay and no longer")
    func together() throws {
        var play = try caughtUp(3)
        let start = play.now
        play.end(ok) { $0.delivery.id == 1 }
        #expect(play.waitsUntil == start + 10)
        play.now += 9
        play.end(ok) { $0.delivery.id == 2 }
        #expect(play.recorded.isEmpty && play.waitsUntil == start + 10)
        play.advance(to: start + 10)
        #expect(play.recorded.map(\.delivery) == [1, 2])
        // The next has a delay of its own.
        play.end(ok)
        #expect(play.waitsUntil == start + 20)
        play.advance(to: start + 20)
        #expect(play.recorded.map(\.delivery) == [1, 2, 3])
        #expect(play.waitsUntil == nil)
    }

    @Test("as many as make a transaction of their own do not wait")
    func atOnce() throws {
        var play = try caughtUp(64)
        for id in Int64(1)...63 { play.end(ok) { $0.delivery.id == id } }
        #expect(play.recorded.isEmpty)
        play.end(ok)
        #expect(play.recorded.count == 64)
    }

    @Test("after a failure fewer are recorded together, as there may be space for some, and then more again")
    func fewerAfterFailure() throws {
        var play = try caughtUp(128)
        play.scheduler.finish(
            play.underWay.map { TransportResult(request: $0, ending: .answered(ok)) },
            now: play.now
        ) { 0 }
        var sizes: [Int] = []
        while true {
            let steps = play.scheduler.advance(to: play.now)
            if steps.record.isEmpty {
                guard steps.next < .max else { break }
                play.now = max(play.now + 1, steps.next)
                continue
            }
            sizes.append(steps.record.count)
            if sizes.count == 1 { play.scheduler.recordFailed(now: play.now) } else { play.scheduler.recorded() }
        }
        // An eighth of what may be under way is one lane's.
        #expect(sizes == [128, 32, 64, 32])
    }

    @Test("what ends while others are being recorded waits for its own time")
    func whileRecording() throws {
        var play = try caughtUp(65)
        play.scheduler.finish(
            play.underWay.prefix(64).map { TransportResult(request: $0, ending: .answered(ok)) },
            now: play.now
        ) { 0 }
        #expect(play.scheduler.advance(to: play.now).record.count == 64)
        play.now += 5
        play.underWay = play.underWay.suffix(1)
        let last = play.underWay.map { TransportResult(request: $0, ending: .answered(ok)) }
        play.scheduler.finish(last, now: play.now) { 0 }
        // One transaction at a time.
        #expect(play.scheduler.advance(to: play.now).next == .max)
        play.scheduler.recorded()
        let steps = play.scheduler.advance(to: play.now + 9)
        #expect(steps.record.isEmpty && steps.next == play.now + 10)
    }

    @Test(
        "what is recorded while it is being read is not sent again, and tried again when it is due",
        arguments: [true, false]
    )
    func besideRead(isDelivered: Bool) throws {
        var play = Play()
        try play.set("a")
        play.run()
        play.offer(1, to: "a")
        play.add(1, to: "a")
        _ = play.scheduler.wake("a")
        let taken = play.scheduler.takeRead(now: play.now)
        let read = try #require(taken)
        let due = play.due(read)
        #expect(due.deliveries.map(\.id) == [1, 2] && due.next == nil)
        let start = play.now
        play.end(isDelivered ? ok : error)
        #expect(play.recorded.map(\.delivery) == [1])
        play.scheduler.finish(read, due, now: play.now)
        play.run()
        #expect(play.ids == [2])
        play.end(ok)
        play.advance(to: start + 5_000)
        #expect(play.ids == (isDelivered ? [] : [1]))
        play.end(ok)
        #expect(play.scheduler.lanes.slots[0]?.backlog.size == 0, "nothing of it is remembered")
    }

    @Test("nothing waits when the end has begun")
    func stopping() throws {
        var play = try caughtUp(2)
        play.end(ok) { $0.delivery.id == 1 }
        #expect(play.recorded.isEmpty)
        play.scheduler.stop(deadline: play.now + 1_000)
        play.run()
        #expect(play.recorded.map(\.delivery) == [1])
        play.end(ok)
        #expect(play.recorded.map(\.delivery) == [1, 2] && play.isFinished)
    }

    @Test("a 410 does not wait, and takes along what does")
    func gone() throws {
        var play = try caughtUp(2)
        play.end(ok) { $0.delivery.id == 1 }
        play.end(AttemptAnswer(status: 410, failure: .status))
        #expect(play.recorded.map(\.result) == [.delivered, .gone])
    }

    @Test("an ordered endpoint that cannot be read before does not wait")
    func ordered() throws {
        var play = try caughtUp(1, ordered: true)
        play.add(1, to: "a")
        // It has something under way, so this waits for that to be recorded.
        _ = play.scheduler.wake("a")
        play.end(ok)
        #expect(play.recorded.map(\.delivery) == [1])
        #expect(play.ids == [2])
    }

    @Test("what could not be recorded is recorded with what came since")
    func failure() throws {
        var play = try caughtUp(2)
        play.end(ok) { $0.delivery.id == 1 }
        play.now += 10
        #expect(play.scheduler.advance(to: play.now).record.count == 1)
        play.scheduler.recordFailed(now: play.now)
        play.end(ok)
        #expect(play.recorded.isEmpty)
        #expect(play.waitsUntil == play.now + 100)
        play.advance(to: play.now + 100)
        #expect(play.recorded.map(\.delivery) == [1, 2])
    }

    @Test("one that cannot be recorded keeps those of other endpoints from nothing")
    func oneThatCannotBe() throws {
        var play = Play()
        for id in ["bad", "a", "b"] {
            try play.set(id)
            play.run()
            play.offer(3, to: id)
        }
        let results = play.underWay.map { TransportResult(request: $0, ending: .answered(ok)) }
        let others = results.filter { $0.request.destination.endpoint.id != "bad" }.map(\.request.delivery.id)
        play.scheduler.finish(results, now: play.now) { 0 }
        var recorded: [Int64] = []
        for _ in 0..<100 where recorded.count < others.count {
            let steps = play.scheduler.advance(to: play.now)
            if steps.record.isEmpty {
                play.now = max(play.now + 1, steps.next)
            } else if steps.record.contains(where: { $0.endpoint == "bad" }) {
                play.scheduler.recordFailed(now: play.now)
            } else {
                recorded += steps.record.map(\.delivery)
                play.scheduler.recorded()
            }
        }
        #expect(!others.isEmpty && recorded.sorted() == others.sorted())
        let waiting = play.scheduler.outcomes.waiting.map(\.delivery)
        #expect(!waiting.isEmpty && waiting == waiting.sorted(), "those of one endpoint keep their order")
    }

    @Test("while the store is left alone, what waits for its time only is begun on time")
    func rateWhileStoreFails() throws {
        var play = Play(recordDelay: 10)
        try play.set("a", ratePerSecond: 10)
        play.run()
        play.offer(5, to: "a")
        #expect(play.underWay.count < 5)
        let results = play.underWay.map { TransportResult(request: $0, ending: .answered(ok)) }
        play.underWay = []
        play.scheduler.finish(results, now: play.now) { 0 }
        play.now += 10
        let steps = play.scheduler.advance(to: play.now)
        #expect(!steps.record.isEmpty)
        play.underWay += steps.begin
        for _ in 0..<6 { play.scheduler.recordFailed(now: play.now) }
        let start = play.now
        #expect(play.scheduler.outcomes.backoff.retryAt > start + 3_000)
        play.run()
        play.advance(to: start + 1_000)
        #expect(play.underWay.count + results.count == 5)
    }
}
