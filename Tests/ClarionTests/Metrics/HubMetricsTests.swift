import Webhooks
import CoreMetrics
import EventLog
import Logging
import MetricsTestKit
import Prometheus
import Testing

@testable import Clarion
@testable import MicroHTTP

@Suite struct HubMetricsTests {
    private final class Listener: Sendable {}

    /// The lines of a metric that are not 0.
    private func lines(_ name: String, of hub: Hub) -> Set<String> {
        Set(
            hub.metrics.registry.exposition().split(separator: "\n").map(String.init)
                .filter { $0.hasPrefix(name) && !$0.hasSuffix(" 0") }
        )
    }

    @Test func `posts and observers of the process count as others do`() async throws {
        try await withHub { hub in
            let listener = Listener()
            try hub.observe("a", owner: listener) { _, _ in }
            let token = try hub.observe("a", "**") { _ in }
            for _ in 0..<3 { try await hub.post("12", to: "a") }
            let drafts = [EventDraft(topic: try Topic("b"), data: [1])]
            _ = try await hub.post(drafts + drafts)
            _ = try await hub.post([])
            await #expect(throws: HubError.self) { try await hub.post("x", to: "clarion.observers") }
            #expect(
                lines("clarion_posts_total", of: hub)
                    == ["clarion_posts_total{result=\"committed\"} 4", "clarion_posts_total{result=\"refused\"} 1"]
            )
            #expect(lines("clarion_deliveries_total", of: hub) == ["clarion_deliveries_total{kind=\"object\"} 8"])
            #expect(lines("clarion_events_bytes_total", of: hub) == ["clarion_events_bytes_total 8"])
            #expect(lines("clarion_post_duration_seconds_count", of: hub) == ["clarion_post_duration_seconds_count 4"])
            await hub.readGauges()
            #expect(
                lines("clarion_observers", of: hub) == ["clarion_observers{kind=\"object\",state=\"active\"} 2"]
            )
            token.cancel()
            withExtendedLifetime(listener) {}
        }
    }

    @Test func `streams that end with the hub, or because the log cannot be read`() async throws {
        try await withHub { hub in
            try await hub.post("1", to: "a")
            let live = try TestClient(port: hub.port)
            live.send("GET /topics/a/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            try await eventually { live.received().contains(": clarion") }
            await hub.log.close()
            let late = try TestClient(port: hub.port)
            late.send(
                "GET /topics/a/events?since=earliest HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                    + "Connection: close\r\n\r\n"
            )
            _ = try await late.receivedToTheEnd()
            let error = "clarion_streams_closed_total{reason=\"error\"} 1"
            try await eventually { lines("clarion_streams_closed_total", of: hub) == [error] }
            await hub.shutdown(grace: .zero)
            let shutdown = "clarion_streams_closed_total{reason=\"shutdown\"} 1"
            #expect(lines("clarion_streams_closed_total", of: hub) == [error, shutdown])
            live.close()
            late.close()
        }
    }

    @Test func `the program's own backend is told of everything, and of gauges`() async throws {
        let backend = TestMetrics()
        var configuration = HubConfiguration(
            server: ServerConfiguration(port: 0, serverName: "clarion"),
            storage: .inMemory,
            durability: .memory
        )
        configuration.metrics = backend
        let hub = try await Hub.start(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await hub.post("1", to: "a")
        let committed = try backend.expectCounter("clarion_posts_total", [("result", "committed")])
        #expect(committed.values == [1])
        #expect(try backend.expectTimer("clarion_post_duration_seconds").values.count == 1)
        // The first time at once.
        try await eventually { (try? backend.expectMeter("clarion_topics").values.isEmpty) == false }
        // And beside it GET /metrics counts as without it.
        #expect(lines("clarion_posts_total", of: hub) == ["clarion_posts_total{result=\"committed\"} 1"])
        await hub.shutdown(grace: .zero)
    }

    @Test func `two hubs of one process count apart`() async throws {
        try await withHub { one in
            try await withHub { other in
                try await one.post("1", to: "a")
                #expect(lines("clarion_posts_total", of: one).count == 1)
                #expect(lines("clarion_posts_total", of: other).isEmpty)
            }
        }
    }

    /// A method or a status of which there is no name is one with all others.
    @Test func `there are only so many series`() {
        let metrics = HubMetrics(backend: NOOPMetricsHandler.instance)
        let requests = RequestMetrics(metrics, patterns: ["/a"])
        for number in 0..<1_000 {
            requests.count(
                ServedRequest(
                    id: "\(number)",
                    method: Method("M\(number)"),
                    status: Status(600 + number),
                    problem: "p\(number)"
                )
            )
        }
        let text = metrics.registry.exposition()
        let line = "clarion_http_requests_total{route=\"unknown\",method=\"unknown\",status=\"unknown\"} 1000"
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("clarion_http_requests_total") } == [line[...]])
        #expect(text.contains("\nclarion_refused_total{code=\"unknown\"} 1000\n"))
    }
}
