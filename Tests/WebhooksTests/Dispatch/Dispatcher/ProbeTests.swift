import Locking
import Glibc
import Testing

@testable import Webhooks

@Suite("Single attempts of a WebhookDispatcher")
struct ProbeTests {
    private let delivery = DueDelivery(id: 1, eventID: "e", topic: "t", body: Array("x".utf8))

    @Test("one is made at once and not recorded; without a running dispatcher there is none")
    func attempt() async throws {
        let receiver = try Receiver { _ in .status(418, body: Array("teapot".utf8)) }
        let fixture = try DispatcherFixture()
        let endpoint = try fixture.endpoint("a", receiver.url, isEnabled: false)
        try await fixture.run(receiver) {
            let outcome = try await fixture.dispatcher.attempt(delivery, at: endpoint)
            #expect(outcome.answer.status == 418)
            #expect(outcome.answer.responsePrefix == Array("teapot".utf8))
            #expect(fixture.store.batches.isEmpty)
        }
        await #expect(throws: ProbeRefusal.stopping) { try await fixture.dispatcher.attempt(delivery, at: endpoint) }
    }

    @Test("four at a time to one host; others are refused until one has ended, other hosts are not concerned")
    func bound() async throws {
        let open = Lock(false)
        let receiver = try Receiver { request in
            while request.path == "/hook", !open.withLock({ $0 }) { usleep(1000) }
            return .status(200)
        }
        let fixture = try DispatcherFixture()
        let endpoint = try fixture.endpoint("a", receiver.url)
        let path = try fixture.endpoint("b", "http://127.0.0.1:\(receiver.port)/path")
        let other = try fixture.endpoint("b", "http://localhost:\(receiver.port)/other")
        try await fixture.run(receiver) {
            try await withThrowingTaskGroup(of: AttemptOutcome.self) { group in
                for _ in 0..<4 { group.addTask { try await fixture.dispatcher.attempt(delivery, at: endpoint) } }
                try await eventually("four are under way") { receiver.requests.count == 4 }
                await #expect(throws: ProbeRefusal.busy) {
                    try await fixture.dispatcher.attempt(delivery, at: endpoint)
                }
                await #expect(throws: ProbeRefusal.busy) { try await fixture.dispatcher.attempt(delivery, at: path) }
                await #expect(throws: ProbeRefusal.busy) { try await fixture.dispatcher.handshake(with: endpoint) }
                #expect(try await fixture.dispatcher.attempt(delivery, at: other).answer.status == 200)
                #expect(fixture.dispatcher.state.withLock { $0.scheduler.attempts.inFlight } == 4)
                open.withLock { $0 = true }
                for try await outcome in group { #expect(outcome.answer.status == 200) }
            }
            #expect(try await fixture.dispatcher.attempt(delivery, at: endpoint).answer.status == 200)
            #expect(fixture.dispatcher.state.withLock { $0.scheduler.attempts.inFlight } == 0)
            #expect(receiver.requests.count == 6)
        }
    }

    @Test("they count in the bound on all")
    func total() async throws {
        let receiver = try Receiver { _ in .hang }
        let fixture = try DispatcherFixture(maxInFlight: 2)
        try await fixture.run(receiver) {
            for _ in 0..<2 { fixture.store.add(to: "a") }
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url))
            try await eventually("it is used up") {
                fixture.dispatcher.state.withLock { $0.scheduler.attempts.inFlight } >= 1
            }
            let other = try fixture.endpoint("b", "http://127.0.0.1:\(receiver.port)/other")
            let held = Task { try await fixture.dispatcher.attempt(delivery, at: other) }
            try await eventually("both are") { receiver.requests.count == 2 }
            await #expect(throws: ProbeRefusal.busy) { try await fixture.dispatcher.attempt(delivery, at: other) }
            await fixture.dispatcher.shutdown(grace: .zero)
            await #expect(throws: ProbeRefusal.stopping) { _ = try await held.value }
        }
    }

    @Test("shutdown gives them its grace")
    func grace() async throws {
        let open = Lock(false)
        let receiver = try Receiver { _ in
            while !open.withLock({ $0 }) { usleep(1000) }
            return .status(200)
        }
        let fixture = try DispatcherFixture()
        let endpoint = try fixture.endpoint("a", receiver.url)
        try await fixture.run(receiver) {
            async let outcome = fixture.dispatcher.attempt(delivery, at: endpoint)
            try await eventually("it is under way") { receiver.requests.count == 1 }
            #expect(fixture.dispatcher.isProbing)
            async let shutdown: Void = fixture.dispatcher.shutdown(grace: .seconds(60))
            try await eventually("it is stopping") {
                fixture.dispatcher.state.withLock { $0.scheduler.phase != .running }
            }
            open.withLock { $0 = true }
            #expect(try await outcome.answer.status == 200)
            await shutdown
        }
    }
}
