import Glibc
import Locking
import Testing

@testable import ClarionClient

/// Streams of a hub that does not behave: over a real socket.
@Suite("Streams of a client", .timeLimit(.minutes(1)))
struct StreamTests {
    private static func event(_ number: Int, padding: Int = 0) -> String {
        let data = String(repeating: "x", count: padding)
        return "id: e-\(number)\ndata: {\"id\":\"e-\(number)\",\"topic\":\"a\",\"type\":null,\"time\":\"t\","
            + "\"contentType\":\"text/plain\",\"data\":\"\(data)\"}\n\n"
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nClarion-Last-Event-Id: e-0\r\n\r\n"

    private func client(of server: RawServer, maximumEventBytes: Int = 1 << 20) throws -> ClarionClient {
        var configuration = ClarionClient.Configuration()
        configuration.silenceLimit = .seconds(1)
        configuration.maximumEventBytes = maximumEventBytes
        return try ClarionClient("127.0.0.1:\(server.port)", configuration: configuration)
    }

    @Test("a hub that falls silent is left, and the stream goes on where it stood")
    func silence() async throws {
        let server = try #require(
            RawServer { connection, number in
                connection.send(Self.head + "retry: 10\n" + Self.event(number))
                if number > 1 { connection.send(Self.event(number + 1)) }
                // Nothing more, and no end.
                connection.waitForEnd()
            }
        )
        let notices = Lock<[ClarionClient.Notice]>([])
        var events = try client(of: server).events(matching: "a") { notice in notices.withLock { $0.append(notice) } }
            .makeAsyncIterator()
        let first = try await events.next()?.id
        let second = try await events.next()?.id
        #expect([first, second] == ["e-1", "e-2"])
        guard case .disconnected(let error, let retry) = notices.withLock({ $0[1] }) else {
            Issue.record("\(notices.withLock { $0 })")
            return
        }
        #expect(error?.code == ClientError.interrupted && retry == .milliseconds(10))
        #expect(server.requests[1].contains("last-event-id=e-1"))
    }

    private static let unreadable = "id: e-2\ndata: {\"id\":\"e-2\",\"topic\"\n\n"

    @Test("an event that cannot be read is not passed over: what came behind it comes again")
    func damaged() async throws {
        let server = try #require(
            RawServer { connection, number in
                let second = number == 1 ? Self.unreadable : Self.event(2)
                connection.send(Self.head + "retry: 10\n" + (number == 1 ? Self.event(1) : "") + second + Self.event(3))
                connection.waitForEnd()
            }
        )
        var shown: [String] = []
        for try await event in try client(of: server).events(matching: "a") {
            shown.append(event.id)
            if event.id == "e-3" { break }
        }
        #expect(shown == ["e-1", "e-2", "e-3"])
        #expect(server.requests[1].contains("last-event-id=e-1"))
    }

    @Test("an event that can never be read is told of at its third time")
    func unreadable() async throws {
        let server = try #require(
            RawServer { connection, number in
                connection.send(Self.head + "retry: 10\n" + (number == 1 ? Self.event(1) : "") + Self.unreadable)
                connection.waitForEnd()
            }
        )
        let waits = Lock<[Duration]>([])
        let events = try client(of: server).events(matching: "a") { notice in
            if case .disconnected(_, let retry) = notice { waits.withLock { $0.append(retry) } }
        }
        let error = await #expect(throws: ClientError.self) { for try await _ in events {} }
        #expect(error?.code == ClientError.answerUnreadable && error?.detail.contains("event e-2") == true)
        #expect(server.requests.count == 3)
        let (first, second) = waits.withLock { ($0[0], $0[1]) }
        #expect(first >= .milliseconds(10) && second >= .milliseconds(20))
    }

    @Test("a task that is cancelled stops waiting, and lets the hub go")
    func cancelling() async throws {
        let server = try #require(
            RawServer { connection, _ in
                connection.send(Self.head)
                connection.waitForEnd()
            }
        )
        let client = try client(of: server)
        let task = Task {
            for try await _ in client.events(matching: "a") {}
            return "ended"
        }
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        #expect(try await task.value == "ended")
        while server.ended < 1 { await Task.yield() }
    }

    @Test("a task that is cancelled hears nothing more, however much comes")
    func cancellingInTheMiddle() async throws {
        let server = try #require(
            RawServer { connection, _ in
                connection.send(Self.head)
                for number in 1... where !connection.send(Self.event(number) + ": \(number)\n\n") { return }
            }
        )
        let client = try client(of: server)
        let task = Task {
            var heard = 0
            for try await _ in client.events(matching: "a") {
                heard += 1
                if heard == 100 { withUnsafeCurrentTask { unsafe $0?.cancel() } }
            }
            return heard
        }
        #expect(try await task.value == 100)
        while server.ended < 1 { await Task.yield() }
    }

    @Test("of what a reader does not read only so much is taken from the hub")
    func slowReader() async throws {
        let sent = Lock(0)
        let server = try #require(
            RawServer { connection, _ in
                connection.send(Self.head)
                for number in 1... {
                    guard connection.send(Self.event(number, padding: 100_000)) else { return }
                    sent.withLock { $0 = number }
                }
            }
        )
        var events = try client(of: server).events(matching: "a").makeAsyncIterator()
        _ = try await events.next()
        // Until nothing more is taken: what is on its way is in the kernel's buffers and in the client's.
        var before = -1
        while before != sent.withLock({ $0 }) {
            before = sent.withLock { $0 }
            try await Task.sleep(for: .milliseconds(300))
        }
        #expect(before < 120, "\(before) events of 100 kB")
        // More than waits here: the transfer has gone on after its pause.
        for number in 2...20 { #expect(try await events.next()?.id == "e-\(number)") }
    }

    @Test("an event that never ends is not collected")
    func endless() async throws {
        let server = try #require(
            RawServer { connection, _ in
                connection.send(Self.head)
                while connection.send("data: \(String(repeating: "x", count: 10_000))\n") {}
            }
        )
        let events = try client(of: server, maximumEventBytes: 100_000).events(matching: "a")
        let error = await #expect(throws: ClientError.self) { for try await _ in events {} }
        #expect(error?.code == ClientError.eventTooLarge)
    }

    @Test(
        "what answers otherwise is no hub",
        arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "nonsense\r\n\r\n", ""]
    )
    func noHub(answer: String) async throws {
        let server = try #require(RawServer { connection, _ in connection.send(answer) })
        let events = try client(of: server).events(matching: "a")
        await #expect(throws: ClientError.self) { for try await _ in events {} }
    }

    @Test("many at once are each answered", arguments: 0..<3)
    func crowd(_: Int) async throws {
        let server = try #require(
            RawServer { connection, _ in
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nready\n")
            }
        )
        let client = try client(of: server)
        await withTaskGroup { group in
            for _ in 0..<50 { group.addTask { for _ in 0..<4 { try? await client.health() } } }
        }
        #expect(server.requests.count == 200)
    }
}
