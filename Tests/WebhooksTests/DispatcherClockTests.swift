import Dispatch
import Locking
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
                fixture.dispatcher.state.withLock { state in
                    state.pumpWaiter != nil && state.scheduler.takesOffers("a", in: .raw)
                        && state.scheduler.askRing.isEmpty
                }
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
            fixture.dispatcher.state.withLock { $0.signalPump() }?.resume()
            try await eventually(within: .seconds(20), "it arrives") { receiver.requests.count == 1 }
        }
    }
}
