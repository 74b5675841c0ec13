import Testing

@testable import Webhooks

/// What real receivers do, and how it is classed and what follows.
@Suite("Outcomes of attempts at real receivers")
struct AttemptOutcomeTests {
    /// Delivers one event to a receiver, and returns the outcome of the first attempt.
    private func outcome(
        of url: String,
        _ receivers: Receiver...,
        allowing: [String] = ["127.0.0.0/8", "::1"],
        totalTimeout: Duration = .seconds(15),
        schedule: [Duration] = [],
        headers: [CustomHeader] = [],
        httpsOnly: Bool = false
    ) async throws -> AttemptOutcome {
        let fixture = try DispatcherFixture(
            schedule: schedule,
            totalTimeout: totalTimeout,
            allowing: allowing,
            httpsOnly: httpsOnly
        )
        let id = fixture.store.add(to: "a")
        var outcomes: [AttemptOutcome] = []
        do {
            fixture.dispatcher.set(try fixture.endpoint("a", url, headers: headers))
            try await eventually("an attempt is recorded") { !fixture.store.outcomes(of: id).isEmpty }
            outcomes = fixture.store.outcomes(of: id)
        } catch {
            Issue.record(error)
        }
        await fixture.dispatcher.shutdown(grace: .zero)
        for receiver in receivers { receiver.stop() }
        return try #require(outcomes.first)
    }

    @Test("200 to 299 is delivered, with the response's first KiB kept", arguments: [200, 201, 204, 299])
    func success(status: Int) async throws {
        let body = status == 204 ? [] : [UInt8](repeating: 0x61, count: 3000)
        let receiver = try Receiver { _ in .status(status, body: body) }
        let outcome = try await outcome(of: receiver.url, receiver)
        #expect(outcome.result == .delivered)
        #expect(outcome.answer.status == status)
        #expect(outcome.answer.failure == nil)
        #expect(outcome.answer.message == nil)
        #expect(outcome.answer.responsePrefix == Array(body.prefix(1024)))
        #expect(outcome.attempts == 1)
    }

    @Test("every other status is a failure", arguments: [300, 304, 400, 404, 429, 500, 503, 599])
    func failures(status: Int) async throws {
        let receiver = try Receiver { _ in .status(status, body: status == 304 ? [] : Array("no".utf8)) }
        let outcome = try await outcome(of: receiver.url, receiver)
        #expect(outcome.result == .dead)
        #expect(outcome.answer.failure == .status)
        #expect(outcome.answer.status == status)
        if status != 304 { #expect(outcome.answer.responsePrefix == Array("no".utf8)) }
    }

    @Test("a redirect is not followed", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let destination = try Receiver()
        let receiver = try Receiver { _ in .status(status, headers: ["Location: \(destination.url)"]) }
        let outcome = try await outcome(of: receiver.url, receiver, destination)
        #expect(outcome.answer.failure == .status)
        #expect(outcome.answer.status == status)
        #expect(destination.connections == 0)
    }

    @Test("410 is gone")
    func gone() async throws {
        let receiver = try Receiver { _ in .status(410) }
        let outcome = try await outcome(of: receiver.url, receiver)
        #expect(outcome.result == .gone)
        #expect(outcome.answer.status == 410)
    }

    @Test(
        "410 is gone, and Retry-After obeyed, also if the body is too long or cut short",
        arguments: [410, 429, 503, 500]
    )
    func bodiesThatDoNotEndWell(status: Int) async throws {
        let head = "HTTP/1.1 \(status) X\r\nRetry-After: 3600\r\nContent-Length: 100000\r\n\r\n"
        for body in ["", "abc", String(repeating: "a", count: 100_000)] {
            let receiver = try Receiver { _ in .raw(head + body) }
            let outcome = try await outcome(of: receiver.url, receiver, schedule: [.milliseconds(1)])
            #expect(outcome.answer.status == status)
            guard status != 410 else {
                #expect(outcome.result == .gone && outcome.answer.failure == .status)
                continue
            }
            #expect(outcome.answer.failure == (body.count < 100 ? .connectionReset : .responseTooLarge))
            guard case .retry(let notBefore) = outcome.result else {
                Issue.record("no retry")
                continue
            }
            #expect((notBefore - MemoryStore.machineTime() > 3_000_000) == (status != 500))
        }
    }

    @Test(
        "a head that is cut short decides nothing",
        arguments: ["", "Content-Le", "Content-Length: 0\r\n", "X: y\r\n"]
    )
    func headCutShort(rest: String) async throws {
        for status in [200, 410] {
            let receiver = try Receiver { _ in .raw("HTTP/1.1 \(status) X\r\n" + rest) }
            let outcome = try await outcome(of: receiver.url, receiver)
            #expect(outcome.answer.failure == .connectionReset && outcome.answer.status == nil)
            #expect(outcome.result == .dead)
        }
    }

    @Test("a head that is too long is called that")
    func headTooLong() async throws {
        for lines in [
            ["X: " + String(repeating: "a", count: 200_000)],
            (0..<40).map { "X\($0): " + String(repeating: "a", count: 10_000) },
        ] {
            let receiver = try Receiver { _ in .status(200, headers: lines) }
            let outcome = try await outcome(of: receiver.url, receiver)
            #expect(outcome.result == .dead && outcome.answer.message?.contains("head") == true, "\(outcome)")
        }
    }

    @Test("credentials are neither kept nor shown when the endpoint sends them back")
    func echo() async throws {
        let receiver = try Receiver { request in
            .status(
                500,
                body: Array(
                    ("x " + (request.header("authorization") ?? "") + " " + (request.header("x-team") ?? "")).utf8
                )
            )
        }
        let headers = [
            try CustomHeader(name: "Authorization", value: "Bearer abc123"),
            try CustomHeader(name: "X-Team", value: "blue"),
        ]
        let outcome = try await outcome(of: receiver.url, receiver, headers: headers)
        #expect(String(decoding: outcome.answer.responsePrefix, as: UTF8.self) == "x [redacted] blue")
    }

    @Test("where only https is wanted, http is refused before it is dialled, and the message names the option")
    func httpsOnly() async throws {
        let receiver = try Receiver()
        let outcome = try await outcome(of: receiver.url, receiver, httpsOnly: true)
        #expect(outcome.answer.failure == .egressBlocked)
        #expect(outcome.answer.message?.contains("--webhooks-https-only") == true)
        #expect(receiver.connections == 0)
    }

    @Test("a receiver that does not answer times out")
    func hang() async throws {
        let receiver = try Receiver { _ in .hang }
        let outcome = try await outcome(of: receiver.url, receiver, totalTimeout: .milliseconds(150))
        #expect(outcome.answer.failure == .timeout)
        #expect(outcome.answer.status == nil)
        #expect(outcome.answer.duration >= 140)
    }

    @Test("a head that is cut short decides nothing, though an interim one before it was whole", arguments: [200, 410])
    func cutShortAfterInterim(status: Int) async throws {
        for rest in ["", "Content-Length: 0\r\n"] {
            let interim = "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"
            let receiver = try Receiver { _ in .raw("\(interim)HTTP/1.1 \(status) X\r\n\(rest)") }
            let outcome = try await outcome(of: receiver.url, receiver)
            #expect(outcome.answer.failure == .connectionReset)
            #expect(outcome.answer.status == nil)
        }
    }

    @Test("a body cut short counts as reset, though its head was a success")
    func cutShort() async throws {
        let receiver = try Receiver { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc") }
        let outcome = try await outcome(of: receiver.url, receiver)
        #expect(outcome.answer.failure == .connectionReset)
        #expect(outcome.answer.status == 200)
        #expect(outcome.result == .dead)
    }

    @Test("a connection reset instead of an answer")
    func reset() async throws {
        let receiver = try Receiver { _ in .reset }
        let outcome = try await outcome(of: receiver.url, receiver)
        #expect(outcome.answer.failure == .connectionReset)
    }

    @Test("what is not HTTP counts as reset", arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "", "\u{0}\u{1}\u{2}"])
    func garbage(greeting: String) async throws {
        let receiver = try Receiver(greeting: greeting)
        let outcome = try await outcome(of: receiver.url, receiver)
        #expect(outcome.answer.failure == .connectionReset)
    }

    @Test("nobody listens")
    func refused() async throws {
        let outcome = try await outcome(of: "http://127.0.0.1:\(try Receiver.closedPort())/")
        #expect(outcome.answer.failure == .connectionRefused)
        #expect(outcome.answer.message?.isEmpty == false)
    }

    @Test("a name that cannot be resolved")
    func dns() async throws {
        let outcome = try await outcome(of: "http://clarion-test.invalid/")
        // A resolver that cannot be reached at all runs into the connect timeout instead.
        #expect(outcome.answer.failure == .dnsError || outcome.answer.failure == .timeout)
    }

    @Test("a TLS handshake that fails")
    func tls() async throws {
        let receiver = try Receiver(greeting: "HTTP/1.1 400 Bad Request\r\n\r\n")
        let outcome = try await outcome(of: "https://127.0.0.1:\(receiver.port)/", receiver)
        #expect(outcome.answer.failure == .tlsError)
    }

    @Test("a body of 64 KiB is read, one byte more is a failure", arguments: [65_536, 65_537, 10_000_000])
    func responseLength(length: Int) async throws {
        let receiver = try Receiver { _ in .status(200, body: [UInt8](repeating: 0x61, count: length)) }
        let outcome = try await outcome(of: receiver.url, receiver)
        #expect(outcome.answer.failure == (length > 65_536 ? .responseTooLarge : nil))
        #expect(outcome.result == (length > 65_536 ? .dead : .delivered))
        #expect(outcome.answer.responsePrefix.count == 1024)
    }

    @Test("loopback is blocked unless allowed, however it is written, and is never dialled")
    func blocked() async throws {
        let receiver = try Receiver()
        let port = receiver.port
        let hosts = [
            "127.0.0.1", "127.1", "0x7f.1", "2130706433", "0x7f000001", "017700000001", "0", "localhost", "LOCALHOST",
            "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[0:0:0:0:0:0:0:1]",
            "[64:ff9b::127.0.0.1]", "%31%32%37.0.0.1", "169.254.169.254", "[fe80::1%25lo]", "[fd00:ec2::254]",
        ]
        let fixture = try DispatcherFixture(schedule: [], allowing: [])
        try await fixture.run(receiver) {
            for host in hosts {
                let endpoint = try fixture.endpoint("a", "http://\(host):\(port)/")
                let delivery = DueDelivery(id: 1, eventID: "e", topic: "t", body: [])
                let outcome = try await fixture.dispatcher.attempt(delivery, at: endpoint)
                #expect(outcome.answer.failure == .egressBlocked, "\(host): \(outcome)")
                #expect(outcome.answer.message?.contains("--allow-egress") == true)
            }
            #expect(receiver.connections == 0)
        }
        let allowed = try Receiver()
        let outcome = try await outcome(of: "http://0x7f.1:\(allowed.port)/", allowed, allowing: ["127.0.0.1"])
        #expect(outcome.result == .delivered)
    }

    @Test("blocked attempts say how to allow them, and are retried like other failures")
    func blockedRetries() async throws {
        let fixture = try DispatcherFixture(schedule: [.milliseconds(5)], allowing: [])
        try await fixture.run {
            let id = fixture.store.add(to: "a")
            fixture.dispatcher.set(try fixture.endpoint("a", "http://127.0.0.1:\(try Receiver.closedPort())/"))
            try await eventually("the retries are used up") { fixture.store.row(id)?.state == .dead }
            let outcomes = fixture.store.outcomes(of: id)
            #expect(outcomes.count == 2)
            let text = "127.0.0.1 is not a public address; to allow it, start the hub with --allow-egress 127.0.0.0/8"
            #expect(outcomes.allSatisfy { $0.answer.failure == .egressBlocked && $0.answer.message == text })
        }
    }
}
