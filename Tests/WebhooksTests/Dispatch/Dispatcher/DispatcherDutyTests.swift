import Foundation
import Locking
import Testing

@testable import Webhooks

/// Endpoints that go to another process, and come back.
@Suite("WebhookDispatcher: duty")
struct DispatcherDutyTests {
    @Test func `what is somebody else's gets no attempt, what was under way ends, and all goes on when it comes back`()
        async throws
    {
        let isOpen = Lock(false)
        let receiver = try Receiver { _ in
            while !isOpen.withLock({ $0 }) { usleep(1_000) }
            return .status(200)
        }
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            for _ in 0..<10 { fixture.store.add(to: "a") }
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, maxInFlight: 2))
            try await eventually("two are under way") { receiver.requests.count == 2 }
            fixture.store.others = ["a"]
            isOpen.withLock { $0 = true }
            try await eventually("two are recorded") { fixture.store.count(.delivered) == 2 }
            #expect(!fixture.dispatcher.delivers(to: "a"), "whoever finds that it is ours again sets it again")
            #expect(receiver.requests.count == 2)
            fixture.store.others = []
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url))
            try await eventually("all are delivered") { fixture.store.count(.delivered) == 10 }
            #expect(receiver.requests.count == 10, "each once")
        }
    }

    @Test func `an attempt that has begun is not sent if it is somebody else's by then`() async throws {
        let receiver = try Receiver { _ in .status(200) }
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            fixture.store.add(to: "a")
            fixture.store.questionsBeforeLoss = 1
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url))
            try await eventually("it is removed") { !fixture.dispatcher.delivers(to: "a") }
            #expect(receiver.requests.isEmpty && fixture.store.count(.pending) == 1)
            fixture.store.questionsBeforeLoss = .max
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url))
            try await eventually("it is delivered") { fixture.store.count(.delivered) == 1 }
            #expect(receiver.requests.count == 1)
        }
    }

    @Test func `those that are removed may end what is under way, for as long as they are given`() async throws {
        let isOpen = Lock(false)
        let slow = try Receiver { _ in
            while !isOpen.withLock({ $0 }) { usleep(1_000) }
            return .status(200)
        }
        let hanging = try Receiver { _ in .hang }
        let fixture = try DispatcherFixture()
        try await fixture.run(slow, hanging) {
            for id in ["slow", "hanging"] { for _ in 0..<5 { fixture.store.add(to: id) } }
            fixture.dispatcher.set(try fixture.endpoint("slow", slow.url, maxInFlight: 1))
            fixture.dispatcher.set(try fixture.endpoint("hanging", hanging.url, maxInFlight: 1))
            try await eventually("both have one") { slow.requests.count == 1 && hanging.requests.count == 1 }
            fixture.dispatcher.leave(["slow", "hanging", "none"])
            async let removal: Void = fixture.dispatcher.waitForEnd(
                of: ["slow", "hanging", "none"],
                grace: .milliseconds(500)
            )
            try await eventually("they are removed") { !fixture.dispatcher.delivers(to: "slow") }
            isOpen.withLock { $0 = true }
            await removal
            #expect(fixture.store.count(.delivered) == 1, "one ended in time, and is recorded")
            try await eventually("the other was aborted") { hanging.openConnections == 0 }
            #expect(slow.requests.count == 1 && hanging.requests.count == 1)
            #expect(fixture.store.count(.pending) == 9)
        }
    }
}
