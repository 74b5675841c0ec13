import Testing

@testable import Webhooks

/// Whose turn it is to read, and who waits for that less is read ahead.
@Suite("DeliveryScheduler: reading")
struct ReadersTests {
    typealias Play = DeliverySchedulerTests.Play

    private let ok = DeliverySchedulerTests.ok

    /// A play in which "good" has answered, and another has so much here that what is read ahead is far beyond the budget.
    private func farBeyond() throws -> Play {
        var play = Play(queuedBytes: 1_000)
        try play.set("good", maxInFlight: 1)
        play.add(1, to: "good")
        play.run()
        play.end(ok)
        play.bodies = 10_000
        play.add(3, to: "large")
        try play.set("large", maxInFlight: 1)
        play.run()
        play.bodies = 10
        #expect(play.count("large") == 1 && play.scheduler.lanes.queuedBytes > 10_000)
        return play
    }

    private func takeRead(_ play: inout Play) -> DeliveryScheduler.Read? { play.scheduler.takeRead(now: play.now) }

    @Test("those that may not read are not looked at, however many they are, until they may")
    func beyondBudget() throws {
        var play = try farBeyond()
        for number in 0..<1_000 {
            play.add(1, to: "o\(number)")
            try play.set("o\(number)", owner: "others")
        }
        play.run()
        #expect(play.underWay.count == 1 && play.scheduler.readers.count == 1_000)
        #expect(!play.scheduler.wantsRead(now: play.now), "or each event has all of them looked at")

        // Who may is not behind them, and is the only one.
        play.add(1, to: "good")
        let isNews = play.scheduler.wake("good")
        #expect(isNews)
        let taken = takeRead(&play)
        let read = try #require(taken)
        #expect(read.endpoint.id == "good" && !play.scheduler.wantsRead(now: play.now))
        play.scheduler.finish(read, play.due(read), now: play.now)
        play.run()
        #expect(play.count("good") == 1)

        // One that is removed waits no longer.
        _ = play.scheduler.remove("o0")
        #expect(play.scheduler.lanes.indices["o0"] == nil)
        play.rows["o0"] = nil

        while !play.underWay.isEmpty { play.end(ok) }
        #expect(play.rows.values.allSatisfy(\.isEmpty) && play.scheduler.lanes.queuedBytes == 0)
        #expect(play.scheduler.readers.count == 0)
    }

    @Test("one that has deliveries here waits for the budget, and no longer once it has none and answers")
    func idle() throws {
        var play = try farBeyond()
        play.add(2, to: "good")
        _ = play.scheduler.wake("good")
        play.run()
        #expect(play.count("good") == 1)
        #expect(!play.scheduler.wantsRead(now: play.now), "the other one is read later")
        play.end(ok) { $0.destination.endpoint.id == "good" }
        #expect(play.count("good") == 1)
        play.end(ok) { $0.destination.endpoint.id == "good" }
        #expect(play.rows["good"]?.isEmpty == true && play.count("large") == 1)
    }

    @Test("owners take turns, whoever has thousands that are to be read")
    func owners() throws {
        var play = Play()
        for number in 0..<100 { try play.set("a\(number)", owner: "a") }
        for number in 0..<2 { try play.set("b\(number)", owner: "b") }
        let order = (0..<5).compactMap { _ in takeRead(&play)?.endpoint.owner }
        #expect(order == ["a", "b", "a", "b", "a"])
    }
}
