import MicroHTTP
import Webhooks
import JSON
import EventLog
import Testing

@testable import Clarion

/// Objects of the process as the HTTP interface shows them.
@Suite(.serialized) struct ObjectRoutesTests {
    private final class Listener: Sendable {
        let heard = Recorder<String>()
    }

    private func ids(_ path: String, _ hub: Hub) async throws -> [String] {
        let answer = try await TestAnswer.to("GET", path, of: hub)
        return (answer.json["observers"]?.elements ?? []).compactMap { $0["id"]?.text }
    }

    @Test func objectsAreListedAsWhatTheyAre() async throws {
        try await withHub { hub in
            let listener = Listener()
            try hub.observe("orders.*", owner: listener) { _, _ in }
            let token = try hub.observe("news") { _ in }
            let list =
                try await TestAnswer.to("GET", "/observers?kind=object", of: hub).json["observers"]?.elements ?? []
            #expect(list.map { $0["kind"]?.text } == ["object", "object"])
            let object = try #require(list.first { $0["type"]?.text == "Listener" })
            #expect(object["topics"] == .array([.string("orders.*")]))
            #expect(object["state"] == .string("active"))
            #expect(object["createdAt"]?.text.flatMap { Timestamp(rfc3339: $0) } != nil)
            let id = try #require(object["id"]?.text)
            #expect(id.hasPrefix("obj_"))
            let closure = try #require(list.first { $0["type"] == .null })
            #expect(closure["topics"] == .array([.string("news")]))

            #expect(try await ids("/observers", hub).count == 2)
            #expect(try await ids("/observers?topic=orders.*", hub) == [id])
            #expect(try await ids("/observers?kind=stream", hub).isEmpty)
            #expect(try await TestAnswer.to("GET", "/observers/\(id)", of: hub).json == object)
            token.cancel()
            #expect(try await ids("/observers?kind=object", hub) == [id])
        }
    }

    @Test func aReleasedObjectIsNotThere() async throws {
        try await withHub { hub in
            var listener: Listener? = Listener()
            try hub.observe("a", owner: try #require(listener)) { _, _ in }
            let id = try #require(try await ids("/observers", hub).first)
            listener = nil
            #expect(try await ids("/observers", hub).isEmpty)
            #expect(try await TestAnswer.to("GET", "/observers/\(id)", of: hub).status == 404)
            #expect(try await TestAnswer.to("DELETE", "/observers/\(id)", of: hub).status == 404)
        }
    }

    @Test func anObjectThatIsUnregisteredOverHTTPHearsNothingMore() async throws {
        try await withHub { hub in
            let listener = Listener()
            try hub.observe("a", owner: listener) { me, event in me.heard.add(event.text) }
            try hub.observe("b", owner: listener) { me, event in me.heard.add(event.text) }
            let id = try #require(try await ids("/observers?topic=a", hub).first)
            try await hub.post("1", to: "a")
            #expect(try await TestAnswer.to("DELETE", "/observers/\(id)", of: hub).status == 204)
            try await hub.post("2", to: "a")
            try await hub.post("3", to: "b")
            #expect(listener.heard.all == ["1", "3"])
            #expect(try await TestAnswer.to("DELETE", "/observers/\(id)", of: hub).status == 404)
        }
    }

    @Test func theObserversOfATopicAreUnregisteredWithItsObjects() async throws {
        try await withHub { hub in
            let listener = Listener()
            hub.observe([try TopicPattern("a.*"), try TopicPattern("b")], owner: listener) { me, event in
                me.heard.add(event.text)
            }
            let token = try hub.observe("a.*") { event in listener.heard.add(event.text) }
            try hub.observe("a.1", owner: listener) { me, event in me.heard.add("exactly \(event.text)") }
            let stream = try TestClient(port: hub.port)
            stream.send("GET /topics/a.*/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            try await eventually { stream.received().contains(": clarion") }
            let answer = try await TestAnswer.to("DELETE", "/topics/a.*/observers", of: hub)
            #expect(answer.body == "{\"unregistered\":3}\n")
            try await hub.post("1", to: "a.1")
            try await hub.post("2", to: "b")
            #expect(listener.heard.all == ["exactly 1"])
            token.cancel()
        }
    }

    @Test func noWebhookAndNoStreamTakesAnObjectsId() async throws {
        try await withHub { hub in
            let listener = Listener()
            try hub.observe("a", owner: listener) { _, _ in }
            let id = try #require(try await ids("/observers", hub).first)
            let webhook = try await TestAnswer.to(
                "PUT",
                "/observers/\(id)",
                of: hub,
                body: #"{"topics": ["a"], "url": "https://example.com/"}"#,
                contentType: "application/json"
            )
            #expect(webhook.status == 409)
            let stream = try TestClient(port: hub.port)
            stream.send(
                "GET /topics/a/events?observer=\(id) HTTP/1.1\r\n"
                    + "Host: localhost\r\nAccept: text/event-stream\r\n\r\n"
            )
            try await eventually { stream.received().contains("observer-kind") }
            #expect(try await ids("/observers", hub) == [id])
        }
    }
}
