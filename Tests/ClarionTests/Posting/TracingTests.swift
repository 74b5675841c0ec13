import EventLog
import InMemoryTracing
import Logging
import MicroHTTP
import Testing
import Tracing
import Webhooks

@testable import Clarion

@Suite struct TracingTests {
    private static let given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    /// Runs a hub that is traced, with a webhook to another one, which keeps what it is sent.
    private func withTracedHub(_ tracer: any Tracer, _ body: (Hub, Hub) async throws -> Void) async throws {
        try await withHub { receiver in
            var configuration = HubConfiguration(
                server: ServerConfiguration(port: 0, serverName: "clarion"),
                storage: .inMemory,
                durability: .memory
            )
            configuration.webhooks.allowEgress = [try CIDRBlock("127.0.0.0/8")]
            configuration.tracer = tracer
            let hub = try await Hub.start(
                configuration,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            let registered = try await TestAnswer.to(
                "POST",
                "/observers",
                of: hub,
                body: "{\"topics\":[\"a\"],\"url\":\"http://127.0.0.1:\(receiver.port)/topics/b/events\"}",
                contentType: "application/json"
            )
            try #require(registered.status == 201)
            try await body(hub, receiver)
            await hub.shutdown(grace: .zero)
        }
    }

    /// Posts with a `traceparent`, and returns those that the event has in both hubs.
    private func traces(
        of given: String?,
        through hub: Hub,
        to receiver: Hub
    ) async throws -> (posted: Traceparent?, received: Traceparent?) {
        let client = try TestClient(port: hub.port)
        defer { client.close() }
        let field = given.map { "traceparent: \($0)\r\n" } ?? ""
        client.send(
            "POST /topics/a/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(field)Content-Length: 1\r\n\r\nx"
        )
        try #require(try await client.receivedToTheEnd().hasPrefix("HTTP/1.1 201"))
        try await eventually { try await !receiver.stored("b").isEmpty }
        return (
            try await hub.stored("a")[0].traceparent.flatMap(Traceparent.init),
            try await receiver.stored("b")[0].traceparent.flatMap(Traceparent.init)
        )
    }

    @Test func `the program's tracer sees client, hub and attempt as one trace`() async throws {
        let tracer = RecordingTracer()
        try await withTracedHub(tracer) { hub, receiver in
            let (posted, received) = try await traces(of: Self.given, through: hub, to: receiver)
            try await eventually { tracer.memory.finishedSpans.count == 2 }
            let spans = tracer.memory.finishedSpans
            let post = try #require(spans.first { $0.operationName == "clarion.post" })
            let attempt = try #require(spans.first { $0.operationName == "clarion.deliver" })
            #expect(Set(spans.map(\.traceID)) == ["4bf92f3577b34da6a3ce929d0e0e4736"])
            #expect(post.parentSpanID == "00f067aa0ba902b7")
            #expect(attempt.parentSpanID == post.spanID)
            #expect(posted?.parentID == post.spanID)
            #expect(received?.parentID == attempt.spanID)
            #expect(attempt.attributes.get("http.response.status_code") == .int64(201))
            #expect(post.attributes.get("clarion.result") == "committed")
            let refused = try await TestAnswer.to("POST", "/topics/a*/events", of: hub)
            #expect(refused.status == 400)
            #expect(tracer.memory.finishedSpans.last?.status?.code == .error)
            #expect(tracer.memory.activeSpans.isEmpty)
        }
    }

    @Test func `a tracer begins a trace where there is none`() async throws {
        let tracer = RecordingTracer()
        try await withTracedHub(tracer) { hub, receiver in
            let (posted, received) = try await traces(of: nil, through: hub, to: receiver)
            #expect(posted != nil && posted?.traceID == received?.traceID && posted?.parentID != received?.parentID)
        }
    }

    /// It carries spans in headers of its own.
    @Test func `with a tracer that does not speak W3C traces go through all the same`() async throws {
        try await withTracedHub(InMemoryTracer()) { hub, receiver in
            let (posted, received) = try await traces(of: Self.given, through: hub, to: receiver)
            #expect(posted?.description == Self.given)
            #expect(received?.traceID == posted?.traceID && received?.parentID != posted?.parentID)
        }
    }

    @Test func `without a tracer they do, and nothing is made up`() async throws {
        try await withTracedHub(NoOpTracer()) { hub, receiver in
            let (posted, received) = try await traces(of: Self.given, through: hub, to: receiver)
            #expect(posted?.description == Self.given)
            #expect(received?.traceID == posted?.traceID && received?.parentID != posted?.parentID)
        }
        try await withTracedHub(NoOpTracer()) { hub, receiver in
            let (posted, received) = try await traces(of: "rubbish", through: hub, to: receiver)
            #expect(posted == nil && received == nil)
        }
    }
}
