import Locking
import Glibc
import Posix
import Testing

@testable import Webhooks

@Suite("WebhookDispatcher")
struct WebhookDispatcherTests {
    @Test(
        "an endpoint with much under way has a further thread make attempts, and their count returns to zero",
        .enabled(if: SystemLimits.cores > 1)
    )
    func furtherThreads() async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            func most() -> Int {
                fixture.dispatcher.state.withLock { state in
                    state.scheduler.lanes.slots.compactMap { $0?.threads.count(on: 1) }.max() ?? 0
                }
            }
            for _ in 0..<2000 { fixture.store.add(to: "a") }
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, maxInFlight: 64))
            try await eventually("it makes some") { most() > 0 }
            try await eventually("all are delivered") { fixture.store.count(.delivered) == 2000 }
            try await eventually("none is under way") { most() == 0 }
        }
    }

    @Test("delivers what was pending at registration and what is posted after it, signed, with all headers")
    func delivers() async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            let first = fixture.store.add(to: "a", type: "created", contentType: "application/json", traceparent: trace)
            let headers = [try CustomHeader(name: "Authorization", value: "Bearer x")]
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, headers: headers))
            try await eventually("the first is delivered") { fixture.store.row(first)?.state == .delivered }
            let second = fixture.store.add(to: "a", contentType: nil)
            fixture.dispatcher.wake("a")
            try await eventually("the second is delivered") { fixture.store.row(second)?.state == .delivered }

            let request = try #require(receiver.requests.first)
            #expect(request.method == "POST")
            #expect(request.path == "/hook")
            #expect(request.body == Array("hello".utf8))
            #expect(request.header("webhook-id") == "event-1")
            #expect(request.header("content-type") == "application/json")
            #expect(request.header("clarion-topic") == "greetings")
            #expect(request.header("event-type") == "created")
            #expect(request.header("clarion-attempt") == "1")
            #expect(request.header("user-agent") == "clarion/test")
            // The same trace, in which each attempt is a step of its own.
            let steps = receiver.requests.map { $0.header("traceparent").flatMap(Traceparent.init) }
            #expect(steps[0]?.traceID == Traceparent(trace)?.traceID)
            #expect(steps[0]?.isSampled == true)
            #expect(steps[0]?.parentID != Traceparent(trace)?.parentID)
            #expect(steps[1] == nil)
            #expect(request.header("authorization") == "Bearer x")
            #expect(request.header("expect") == nil)
            let timestamp = try #require(request.header("webhook-timestamp").flatMap(Int64.init))
            #expect(abs(timestamp * 1000 - fixture.store.timeOfDay) < 60_000)
            let expected = WebhookSignature.header(
                id: "event-1",
                timestamp: timestamp,
                body: request.body,
                secrets: [try SigningSecret(DispatcherFixture.secret)]
            )
            #expect(request.header("webhook-signature") == expected)
            #expect(receiver.requests.last?.header("content-type") == nil)
            #expect(receiver.requests.last?.header("event-type") == nil)
        }
    }

    @Test("signs with all secrets while a rotated one is valid")
    func rotation() async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            let secrets = [SigningSecret.generate().text, SigningSecret.generate().text]
            fixture.store.add(to: "a")
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, secrets: secrets))
            try await eventually("it arrives") { !receiver.requests.isEmpty }
            let request = try #require(receiver.requests.first)
            let expected = WebhookSignature.header(
                id: "event-1",
                timestamp: try #require(request.header("webhook-timestamp").flatMap(Int64.init)),
                body: request.body,
                secrets: try secrets.map { text throws(WebhookError) in try SigningSecret(text) }
            )
            #expect(request.header("webhook-signature") == expected)
            #expect(expected.split(separator: " ").count == 2)
        }
    }

    @Test("a rotated secret signs no more when its time is over")
    func rotationEnds() async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            let secrets = [SigningSecret.generate().text, SigningSecret.generate().text]
            fixture.store.add(to: "a")
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, secrets: secrets, secondUntil: 1))
            try await eventually("it arrives") { !receiver.requests.isEmpty }
            #expect(receiver.requests.first?.header("webhook-signature")?.split(separator: " ").count == 1)
        }
    }

    @Test("bodies arrive as posted", arguments: [0, 1, 65_535, 65_536, 65_537, 1_048_576])
    func bodies(length: Int) async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            let body = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            // The second goes through the same handle, after a body of another size.
            for body in [body, Array("small".utf8), body] {
                let id = fixture.store.add(to: "a", body: body)
                fixture.dispatcher.set(try fixture.endpoint("a", receiver.url))
                try await eventually("it is delivered") { fixture.store.row(id)?.state == .delivered }
                #expect(receiver.requests.last?.body == body)
                #expect(receiver.requests.last?.header("content-length") == String(body.count))
            }
            #expect(receiver.connections == 1)
        }
    }

    @Test("line breaks in what clients named cannot become headers")
    func injection() async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            fixture.store.add(
                to: "a",
                type: "a\r\nX-Evil: 1%",
                contentType: "text/plain\nX-Evil: 2",
                topic: "ü\u{0}\u{7f}",
                traceparent: "\r\n\r\nX-Evil"
            )
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url))
            try await eventually("it arrives") { !receiver.requests.isEmpty }
            let request = try #require(receiver.requests.first)
            #expect(request.header("x-evil") == nil)
            #expect(request.header("event-type") == "a%0D%0AX-Evil: 1%25")
            #expect(request.header("clarion-topic") == "ü%00%7F")
            #expect(request.body == Array("hello".utf8))
        }
    }

    @Test("a failed attempt is repeated with the same id and a growing count, then the delivery is dead")
    func retries() async throws {
        let receiver = try Receiver { request in .status(request.path == "/hook" ? 500 : 200) }
        let fixture = try DispatcherFixture(schedule: [.milliseconds(10), .milliseconds(10), .milliseconds(10)])
        try await fixture.run(receiver) {
            let id = fixture.store.add(to: "a")
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url))
            try await eventually("it is dead") { fixture.store.row(id)?.state == .dead }
            #expect(receiver.requests.map { $0.header("clarion-attempt") } == ["1", "2", "3", "4"])
            #expect(Set(receiver.requests.map { $0.header("webhook-id") }) == ["event-1"])
            let outcomes = fixture.store.outcomes(of: id)
            #expect(outcomes.map(\.attempts) == [1, 2, 3, 4])
            for (earlier, later) in zip(outcomes, outcomes.dropFirst()) {
                guard case .retry(let notBefore) = earlier.result else {
                    Issue.record("no retry")
                    continue
                }
                #expect(later.at >= notBefore)
            }
        }
    }

    @Test("Retry-After is obeyed", arguments: [429, 503])
    func retryAfter(status: Int) async throws {
        let receiver = try Receiver { request in
            request.header("clarion-attempt") == "1" ? .status(status, headers: ["Retry-After: 1"]) : .status(200)
        }
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            let id = fixture.store.add(to: "a")
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url))
            try await eventually("it is delivered") { fixture.store.row(id)?.state == .delivered }
            let outcomes = fixture.store.outcomes(of: id)
            #expect(outcomes.count == 2)
            #expect(outcomes[1].at - outcomes[0].at >= 1000)
        }
    }

    @Test("deliveries from before a restart are made when they are due")
    func restart() async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            let due = fixture.store.now + 200
            let id = fixture.store.add(to: "a", attempts: 3, notBefore: due)
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url))
            try await eventually("it is delivered") { fixture.store.row(id)?.state == .delivered }
            #expect(fixture.store.now >= due)
            let outcome = try #require(fixture.store.outcomes(of: id).first)
            #expect(outcome.attempts == 4)
        }
    }

    @Test("an endpoint that fails goes to the other thread, and comes back when it has proved itself")
    func steadiness() async throws {
        let receiver = try Receiver { $0.header("webhook-id") == "event-30" ? .raw("no HTTP") : .status(204) }
        let fixture = try DispatcherFixture(schedule: [])
        try await fixture.run(receiver) {
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, ordered: true))
            for _ in 1...60 { fixture.store.add(to: "a") }
            fixture.dispatcher.wake("a")
            try await eventually("all have ended") { receiver.requests.count == 60 }
            // One of each thread; when it comes back, its first is gone.
            let connections = receiver.requests.map(\.connection)
            #expect(connections[..<30].allSatisfy { $0 == 0 })
            #expect(connections[30..<46].allSatisfy { $0 == 1 })
            #expect(connections[46...].allSatisfy { $0 == 2 })
        }
    }

    @Test("keeps connections alive and reuses them: no more than the window, however many deliveries")
    func keepAlive() async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            for _ in 0..<200 { fixture.store.add(to: "a") }
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, maxInFlight: 4))
            try await eventually("all are delivered") { fixture.store.count(.delivered) == 200 }
            #expect(receiver.connections <= 4)
            #expect(receiver.mostConcurrent <= 4)
            #expect(receiver.requests.count == 200)
            #expect(Set(receiver.requests.map { $0.header("webhook-id") }).count == 200)
        }
    }

    @Test("endpoints that hang delay no other, even when together they could use up the bound on all")
    func isolation() async throws {
        let hanging = try Receiver { _ in .hang }
        let answering = try Receiver()
        let fixture = try DispatcherFixture(totalTimeout: .seconds(120), maxInFlight: 32)
        try await fixture.run(hanging, answering) {
            for index in 0..<8 {
                for _ in 0..<20 { fixture.store.add(to: "hanging\(index)") }
                fixture.dispatcher.set(try fixture.endpoint("hanging\(index)", hanging.url))
            }
            try await eventually("they hang") { hanging.openConnections >= 16 }
            for _ in 0..<200 { fixture.store.add(to: "answering") }
            fixture.dispatcher.set(try fixture.endpoint("answering", answering.url))
            // Well before the hanging ones let go.
            try await eventually("all others are delivered") {
                fixture.store.count(.delivered) == 200
            }
            #expect(hanging.requests.count <= 32)
        }
    }

    @Test("removal aborts what is under way, and nothing more is sent or recorded")
    func removal() async throws {
        let receiver = try Receiver { _ in .hang }
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            for _ in 0..<10 { fixture.store.add(to: "a") }
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, maxInFlight: 4))
            try await eventually("four are under way") { receiver.requests.count == 4 }
            fixture.dispatcher.remove("a")
            try await eventually("their connections are closed") { receiver.openConnections == 0 }
            fixture.dispatcher.wake("a")
            // Another endpoint's delivery shows that the dispatcher went on and had its chance to send.
            let other = try Receiver()
            fixture.store.add(to: "b")
            fixture.dispatcher.set(try fixture.endpoint("b", other.url))
            try await eventually("another is delivered") { fixture.store.count(.delivered) == 1 }
            other.stop()
            #expect(receiver.requests.count == 4)
            #expect(fixture.store.count(.pending) == 10)
            #expect(fixture.store.rows.flatMap(\.outcomes).count == 1)
        }
    }

    @Test("shutdown gives what is under way its grace, begins nothing, and leaves the rest pending")
    func shutdownWithGrace() async throws {
        let open = Lock(false)
        let receiver = try Receiver { _ in
            while !open.withLock({ $0 }) { usleep(1000) }
            return .status(200)
        }
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            for _ in 0..<10 { fixture.store.add(to: "a") }
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, maxInFlight: 3))
            try await eventually("three are under way") { receiver.requests.count == 3 }
            async let shutdown: Void = fixture.dispatcher.shutdown(grace: .seconds(10))
            try await eventually("it is stopping") {
                fixture.dispatcher.state.withLock { $0.scheduler.phase != .running }
            }
            open.withLock { $0 = true }
            await shutdown
            #expect(receiver.requests.count == 3)
            #expect(fixture.store.count(.delivered) == 3)
            #expect(fixture.store.count(.pending) == 7)
        }
    }

    @Test("shutdown aborts what outlasts the grace; it stays pending, without an attempt on record")
    func shutdownWithoutGrace() async throws {
        let receiver = try Receiver { _ in .hang }
        let fixture = try DispatcherFixture(totalTimeout: .seconds(300))
        try await fixture.run(receiver) {
            for _ in 0..<10 { fixture.store.add(to: "a") }
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, maxInFlight: 3))
            try await eventually("three are under way") { receiver.requests.count == 3 }
            let clock = ContinuousClock()
            let start = clock.now
            await fixture.dispatcher.shutdown(grace: .milliseconds(100))
            #expect(clock.now - start >= .milliseconds(95))
            // Far below the attempts' own time-out, and far above what a busy machine takes.
            #expect(clock.now - start < .seconds(60))
            #expect(fixture.store.count(.pending) == 10)
            #expect(fixture.store.rows.flatMap(\.outcomes).isEmpty)
            try await eventually("the connections are closed") { receiver.openConnections == 0 }
        }
    }

    @Test("after a 410 the endpoint is left alone until it is set anew")
    func gone() async throws {
        let receiver = try Receiver { request in .status(request.header("webhook-id") == "event-1" ? 410 : 200) }
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            for _ in 0..<5 { fixture.store.add(to: "a") }
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, maxInFlight: 1))
            try await eventually("it is recorded") { fixture.store.row(1)?.state == .dead }
            fixture.dispatcher.wake("a")
            #expect(receiver.requests.count == 1)
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, maxInFlight: 1))
            try await eventually("the rest is delivered") { fixture.store.count(.delivered) == 4 }
        }
    }

    @Test("an ordered endpoint gets events in sequence, a failing head before those behind it")
    func ordered() async throws {
        let receiver = try Receiver { request in
            request.header("webhook-id") == "event-2" && request.header("clarion-attempt") != "3"
                ? .status(500) : .status(200)
        }
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            for _ in 0..<4 { fixture.store.add(to: "a") }
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, ordered: true))
            try await eventually("all are delivered") { fixture.store.count(.delivered) == 4 }
            let ids = receiver.requests.compactMap { $0.header("webhook-id") }
            #expect(ids == ["event-1", "event-2", "event-2", "event-2", "event-3", "event-4"])
            #expect(receiver.mostConcurrent == 1)
        }
    }

    @Test("a store that fails for a while costs no delivery")
    func failingStore() async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            fixture.store.fail(2)
            for _ in 0..<20 { fixture.store.add(to: "a") }
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url))
            try await eventually("some arrive") { !receiver.requests.isEmpty }
            fixture.store.fail(2)
            try await eventually("all are delivered") { fixture.store.count(.delivered) == 20 }
            #expect(receiver.requests.count == 20)
        }
    }

    @Test("wakes from many tasks lose nothing and repeat nothing")
    func concurrency() async throws {
        let receivers = [try Receiver(), try Receiver(), try Receiver()]
        let fixture = try DispatcherFixture()
        try await fixture.run(receivers[0], receivers[1], receivers[2]) {
            for index in 0..<3 {
                fixture.dispatcher.set(try fixture.endpoint("e\(index)", receivers[index].url, maxInFlight: 8))
            }
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<6 {
                    group.addTask {
                        for _ in 0..<100 {
                            fixture.store.add(to: "e\(task % 3)")
                            fixture.dispatcher.wake("e\(task % 3)")
                            await Task.yield()
                        }
                    }
                }
            }
            try await eventually("all are delivered") { fixture.store.count(.delivered) == 600 }
            for receiver in receivers { #expect(receiver.requests.count == 200) }
        }
    }

    @Test("endpoints may be set and removed at any moment")
    func churn() async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            let endpoint = try fixture.endpoint("a", receiver.url, maxInFlight: 4)
            for _ in 0..<200 { fixture.store.add(to: "a") }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        for _ in 0..<50 {
                            fixture.dispatcher.set(endpoint)
                            await Task.yield()
                            fixture.dispatcher.remove("a")
                            fixture.dispatcher.wake("a")
                        }
                    }
                }
            }
            fixture.dispatcher.set(endpoint)
            try await eventually("all are delivered") { fixture.store.count(.delivered) == 200 }
        }
    }

    @Test("is released after shutdown, and may be dropped without having been started")
    func release() async throws {
        weak var released: WebhookDispatcher?
        do {
            let fixture = try DispatcherFixture()
            released = fixture.dispatcher
            await fixture.dispatcher.shutdown(grace: .zero)
            await fixture.dispatcher.shutdown(grace: .zero)
        }
        try await eventually("it is released") { released == nil }
    }
}
