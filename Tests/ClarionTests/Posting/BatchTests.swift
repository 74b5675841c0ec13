import JSON
import MicroHTTP
import Webhooks
import EventLog
import Testing

@testable import Clarion

/// Several events posted at once, by a program.
@Suite(.serialized) struct BatchTests {
    @Test func allAreStoredInTheirOrder() async throws {
        try await withHub { hub in
            let drafts = try (0..<10).map { EventDraft(topic: try Topic("t.\($0 % 3)"), data: Array("\($0)".utf8)) }
            let events = try await hub.post(drafts)
            #expect(events.map(\.text) == (0..<10).map(String.init))
            #expect(try await hub.stored() == events)
            #expect(try await hub.post([]) == [])
        }
    }

    @Test func asManyAsOverHTTPAndNoMore() async throws {
        try await withHub { hub in
            let draft = EventDraft(topic: try Topic("t"), data: [])
            let error = try await #require(throws: HubError.self) {
                try await hub.post(Array(repeating: draft, count: 10_001))
            }
            #expect(error.code == "batch-too-large")
            #expect(try await hub.stored().isEmpty)
            #expect(try await hub.post(Array(repeating: draft, count: 10_000)).count == 10_000)
        }
    }

    @Test func oneThatDoesNotFitItsTopicKeepsAllOut() async throws {
        try await withHub { hub in
            try hub.bind(PriceChanged.self, to: "prices", in: .init())
            let fits = EventDraft(topic: try Topic("prices"), data: Array(#"{"price": 1}"#.utf8))
            let misfit = EventDraft(topic: try Topic("prices"), data: Array(#"{"price": "1"}"#.utf8))
            let error = try await #require(throws: HubError.self) { try await hub.post([fits, misfit]) }
            #expect(error.code == HubError.infoMismatch)
            #expect(error.pointer == "/1/price")
            #expect(try await hub.stored().isEmpty)
        }
    }

    @Test(arguments: [
        ("application/x-ndjson", "{\"price\":1}\n\n{\"price\":null}", "/1/price"),
        (
            "application/cloudevents+json",
            #"{"specversion":"1.0","id":"1","source":"s","type":"t","data":{"price":"x"}}"#, "/data/price"
        ),
        (
            "application/cloudevents-batch+json",
            #"[{"specversion":"1.0","id":"1","source":"s","type":"t","data":{"price":"x"}}]"#, "/0/data/price"
        ),
    ])
    func overHTTPThePlaceInTheBodyIsNamed(contentType: String, body: String, pointer: String) async throws {
        try await withHub { hub in
            try hub.bind(PriceChanged.self, to: "prices", in: .init())
            let answer = try await TestAnswer.to(
                "POST",
                "/topics/prices/events",
                of: hub,
                body: body,
                contentType: contentType
            )
            #expect(answer.status == 422)
            #expect(answer.json["code"]?.text == "info-mismatch")
            #expect(answer.json["pointer"]?.text == pointer)
            #expect(try await hub.stored().isEmpty)
        }
    }
}

private enum PriceChanged: TypedNotification {
    struct Info: Codable, Sendable { var price: Double }
    static let name = "test.price.changed"
}
