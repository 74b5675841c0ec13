import Dispatch
import Locking
import Randomness
import Testing

@testable import Webhooks

@Suite("WebhookDispatcher: clock")
struct DispatcherClockTests {
    /// What is done, once, while the clock is being read.
    private final class Meanwhile: Sendable {
        let action = Lock<(@Sendable () -> Void)?>(nil)
        let time = Lock<Int64>(1_700_000_000_000)

        var clock: @Sendable () -> Int64 {
            { [self] in
                let now = time.withLock { $0 }
                guard let action = action.withLock({ $0.take() }) else { return now }
                let done = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    action()
                    done.signal()
                }
                // If whoever reads the clock keeps the action from being done, it goes on, and that comes after.
                _ = done.wait(timeout: .now() + 0.2)
                return now
            }
        }
    }

    @Test("what is committed between the pump's look at the clock and its read is found")
    func lateCommit() async throws {
        let receiver = try Receiver()
        let meanwhile = Meanwhile()
        let fixture = try DispatcherFixture(clock: meanwhile.clock)
        try await fixture.run(receiver) {
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url))
            try await eventually("it rests") {
                fixture.dispatcher.state.withLock { $0.scheduler.takesOffers("a", in: .raw) }
            }
            let (store, dispatcher) = (fixture.store, fixture.dispatcher)
            meanwhile.action.withLock { action in
                action = {
                    let now = meanwhile.time.withLock { time in
                        time += 1
                        return time
                    }
                    store.add(to: "a", notBefore: now)
                    dispatcher.wake("a")
                }
            }
            // Has the pump look for work.
            fixture.dispatcher.signal.yield()
            try await eventually(within: .seconds(20), "it arrives") { receiver.requests.count == 1 }
        }
    }

    /// A clock of the day that is set each time that it is looked at, back and forth.
    private final class Unsteady: Sendable {
        let random = Lock(SeededGenerator(seed: 1))
        let seen = Lock<Set<Int64>>([])

        func now() -> Int64 {
            let steps: [Int64] = [-6 * 86_400_000, -3_600_000, -100, 100, 3_600_000, 6 * 86_400_000]
            let now = 1_700_000_000_000 + random.withLock { steps.randomElement(using: &$0) ?? 0 }
            seen.withLock { _ = $0.insert(now) }
            return now
        }
    }

    @Test("nothing that lasts goes by the clock of the day, and everything says its time", arguments: [false, true])
    func unsteady(ordered: Bool) async throws {
        let day = Unsteady()
        let receiver = try Receiver { request in
            switch request.header("clarion-attempt") {
            case "1": .status(500)
            case "2": .status(503, headers: ["Retry-After: 1"])
            default: .status(204)
            }
        }
        let fixture = try DispatcherFixture(
            schedule: [.milliseconds(20), .milliseconds(20), .milliseconds(20)],
            timeOfDay: { day.now() }
        )
        try await fixture.run(receiver) {
            let ids = (0..<3).map { _ in fixture.store.add(to: "a") }
            let began = fixture.store.now
            fixture.store.fail(2)
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, ordered: ordered, ratePerSecond: 50))
            try await eventually(within: .seconds(30), "all arrive") { fixture.store.count(.delivered) == ids.count }
            #expect(fixture.store.now - began >= (ordered ? 3_000 : 1_000))
            for id in ids {
                let outcomes = fixture.store.outcomes(of: id)
                #expect(outcomes.count == 3)
                #expect(outcomes.allSatisfy { (0..<30_000).contains($0.failing) && $0.answer.duration < 30_000 })
                #expect(day.seen.withLock { $0 }.isSuperset(of: outcomes.map(\.at)))
            }
            let seconds = Set(day.seen.withLock { $0 }.map { $0 / 1000 })
            let timestamps = receiver.requests.compactMap { $0.header("webhook-timestamp").flatMap(Int64.init) }
            #expect(timestamps.count == 9 && seconds.isSuperset(of: timestamps))
        }
    }
}
