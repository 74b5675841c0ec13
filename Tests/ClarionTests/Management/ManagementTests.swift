import MicroHTTP
import Webhooks
import EventLog
import Foundation
import Logging
import Testing

@testable import Clarion

/// A program that manages its hub without a connection.
@Suite struct ManagementTests {
    private struct Order: Codable, Sendable {
        let total: Int
        let id: String
    }

    @Test func textAndValuesArePostedAsWhatTheyAre() async throws {
        try await withHub { hub in
            let text = try await hub.post("hello", to: "a", type: "greeting")
            #expect(text.contentType == "text/plain; charset=utf-8" && text.type == "greeting")
            let value = try await hub.post(Order(total: 12, id: "a/1"), to: "a")
            #expect(value.contentType == "application/json" && value.text == #"{"id":"a/1","total":12}"#)
            await #expect { try await hub.post("x", to: "a*") } throws: { ($0 as? HubError)?.code == "topic-invalid" }
            await #expect { try await hub.post(Double.nan, to: "a") } throws: {
                ($0 as? HubError)?.code == HubError.valueInvalid
            }
            await #expect { try await hub.post("x", to: "clarion.a") } throws: {
                ($0 as? HubError)?.code == HubError.topicReserved
            }
            #expect(try await hub.stored().count == 2)
        }
    }

    /// As `ClarionClient.post` does, whose bytes the hub looks at.
    @Test func bytesArePostedAsTheyAre() async throws {
        try await withHub { hub in
            let bytes: [UInt8] = [0, 0xFF, 0x80]
            let array = try await hub.post(bytes, to: "a", type: "picture")
            #expect(array.data == bytes && array.contentType == "application/octet-stream" && array.type == "picture")
            let data = try await hub.post(Data("hello".utf8), to: "a")
            #expect(data.text == "hello" && data.contentType == "text/plain; charset=utf-8")
            let json = try await hub.post(Array(#"{"a":1}"#.utf8), to: "a")
            #expect(json.text == #"{"a":1}"# && json.contentType == "application/json")
            // Numbers are numbers, written or not.
            #expect(try await hub.post([1, 2], to: "a").contentType == "application/json")
            #expect(try await hub.post([UInt16(1), 2], to: "a").text == "[1,2]")
        }
    }

    @Test func aWebhookIsRegisteredReadAndUnregistered() async throws {
        try await withHub { hub in
            var settings = WebhookSettings(url: "http://127.0.0.1:8999/hook", topics: ["a.*"])
            settings.enabled = false
            let made = try await hub.register(settings, as: "billing")
            #expect(made.id == "billing" && made.state == .paused && made.secret?.hasPrefix("whsec_") == true)
            try await hub.post("1", to: "a.b")
            let read = try await hub.webhook("billing")
            #expect(read.stats.pending == 1 && read.secret == nil && read.topics == ["a.*"])
            // The same again changes nothing, and keeps the secret.
            #expect(try await hub.register(settings, as: "billing").secret == nil)
            #expect(try await hub.register(settings).id != "billing")
            try await hub.unregister("billing")
            await #expect { try await hub.webhook("billing") } throws: {
                ($0 as? HubError)?.code == "observer-unknown"
            }
            // Every format is one that the hub takes.
            for format in WebhookSettings.Format.allCases {
                settings.format = format
                try await hub.register(settings, as: "formats")
            }
            let token = try hub.observe("a.b") { _ in }
            let object = try #require(hub.directory.all().first { $0.kind == .object })
            await #expect { try await hub.webhook(object.id.description) } throws: {
                ($0 as? HubError)?.code == "observer-kind"
            }
            token.cancel()
            settings.url = "no url"
            await #expect { try await hub.register(settings, as: "x") } throws: {
                let error = $0 as? HubError
                return error?.code == "url-invalid" && error?.pointer == "/url"
            }
            await #expect { try await hub.webhook("../topics?x") } throws: { $0 is HubError }
        }
    }

    @Test func topicsAreListedBoundedAndDeleted() async throws {
        try await withHub { hub in
            for topic in ["b", "a.1", "a.2"] { try await hub.post("1", to: topic) }
            #expect(try await hub.topics(prefix: "a.").map(\.topic.name) == ["a.1", "a.2"])
            #expect(try await hub.topics(after: "a.1", limit: 1).map(\.topic.name) == ["a.2"])
            try await hub.setRetention(Retention(events: 1), of: "b")
            #expect(try await hub.topics(prefix: "b").first?.retention?.events == 1)
            #expect(try await hub.deleteTopic("b"))
            #expect(try await !hub.deleteTopic("b"))
            #expect(try await hub.topics().map(\.topic.name) == ["a.1", "a.2"])
        }
    }

    @Test func boundsOutOfRangeAreRefusedAsOverHTTP() async throws {
        let refused: [(Retention, member: String)] = [
            (Retention(events: 0), "events"), (Retention(events: -1), "events"), (Retention(events: .max), "events"),
            (Retention(age: 999), "age"), (Retention(age: .min), "age"), (Retention(age: .max), "age"),
            (Retention(bytes: 0), "bytes"), (Retention(events: 1, bytes: .max), "bytes"),
        ]
        try await withHub { hub in
            for (retention, member) in refused {
                let error = await #expect(throws: HubError.self) { try await hub.setRetention(retention, of: "a") }
                #expect(error?.code == "member-invalid" && error?.pointer == "/retention/\(member)")
                let ofAll = HubConfiguration(storage: .inMemory, retention: retention)
                let atStart = await #expect(throws: HubError.self) {
                    try await Hub.start(ofAll, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                }
                #expect(atStart?.pointer == error?.pointer)
            }
            #expect(try await hub.topics().isEmpty)
            let most = Retention(events: 1_000_000_000_000, age: 1_000, bytes: 1 << 50)
            try await hub.setRetention(most, of: "a")
            #expect(try await hub.topics().first?.retention == most)
        }
    }

    @Test func anIdThatIsNoneIsRefusedAsSuch() async throws {
        try await withHub { hub in
            let settings = WebhookSettings(url: "http://127.0.0.1:8999/hook", topics: ["a"])
            for id in ["", " ", ".", "..", "a/b", "é", String(repeating: "a", count: 65)] {
                let calls: [@Sendable () async throws -> Void] = [
                    { _ = try await hub.webhook(id) }, { try await hub.unregister(id) },
                    { try await hub.register(settings, as: id) },
                ]
                for call in calls {
                    let error = await #expect(throws: HubError.self, "\(id)") { try await call() }
                    #expect(error?.code == "observer-id-invalid", "\(id)")
                }
            }
        }
    }

    @Test func aHubThatHasStoppedSaysSo() async throws {
        var configuration = HubConfiguration(storage: .inMemory, durability: .memory)
        configuration.listens = false
        let hub = try await Hub.start(configuration, logger: .init(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await hub.post("1", to: "a")
        await hub.shutdown()
        let targets = [
            "/observers", "/topics", "/topics/a", "/topics/a/events", "/topics/a/value", "/metrics", "/readyz",
        ]
        for target in targets {
            let error = await #expect(throws: HubError.self, "\(target)") { try await hub.request("GET", target) }
            #expect(error?.code == "draining", "\(target)")
        }
        let error = await #expect(throws: HubError.self) { try await hub.webhook("billing") }
        #expect(error?.code == "draining")
    }

    @Test func everyRouteAnswersTheProcessToo() async throws {
        try await withHub { hub in
            let posted = try await hub.request("POST", "/topics/a/events", body: ["total": 12])
            #expect(posted.status == 201)
            #expect(try await hub.request("GET", "/topics/a/value").body == Array(#"{"total":12}"#.utf8))
            await #expect {
                try await hub.request("GET", "/topics/a/events", headers: [("Accept", "text/event-stream")])
            } throws: {
                ($0 as? HubError)?.code == "not-acceptable"
            }
            await #expect { try await hub.request("GET", "/nowhere") } throws: {
                ($0 as? HubError)?.code == "route-unknown"
            }
            await #expect { try await hub.request("BREW", "/topics/a/value") } throws: {
                ($0 as? HubError)?.code == "method-not-allowed"
            }
            await #expect { try await hub.request("GET", "a b") } throws: {
                ($0 as? HubError)?.code == "target-invalid"
            }
            #expect(hub.directory.all().isEmpty)
        }
    }

    @Test func aHubThatDoesNotListenDoesEverythingElse() async throws {
        var configuration = HubConfiguration(storage: .inMemory, durability: .memory)
        configuration.listens = false
        let hub = try await Hub.start(configuration, logger: .init(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(hub.port == 0)
        let id = try await hub.post("1", to: "a").id
        #expect(try await hub.history("a").map(\.id) == [id])
        #expect(try await hub.request("GET", "/readyz").status == 200)
        await hub.shutdown()
    }

    @Test func timesInAnswersAreDates() async throws {
        struct Stored: Decodable {
            let time: Date
            let data: [String: Date]
        }
        struct Page: Decodable { let events: [Stored] }
        try await withHub { hub in
            let due = Date(timeIntervalSince1970: 1_763_680_740)
            let posted = try await hub.post(["due": due], to: "a")
            try await hub.post(Array(#"{"due": "2025-11-20T23:19:00Z"}"#.utf8), to: "a")
            let events = try await hub.request("GET", "/topics/a/events").decoded(as: Page.self).events
            #expect(events.map(\.data) == [["due": due], ["due": due]])
            let milliseconds = events.first.map { ($0.time.timeIntervalSince1970 * 1000).rounded() }
            #expect(milliseconds == Double(posted.time.milliseconds))
            #expect(throws: DecodingError.self) { try HubAnswer(text: #"["today"]"#).decoded(as: [Date].self) }
        }
    }

    @Test func aProgramsOwnRoutesAreBesideTheHubs() async throws {
        func start(_ routes: [HubRoute]) async throws -> Hub {
            var configuration = HubConfiguration(
                server: ServerConfiguration(port: 0, serverName: "test"),
                storage: .inMemory,
                durability: .memory
            )
            configuration.routes = routes
            return try await Hub.start(configuration, logger: .init(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        struct Fault: Error {}
        let hub = try await start([
            HubRoute("GET", "/shop/{id}") {
                HubAnswer(text: "\($0["id"] ?? "")|\($0.query("q") ?? "")|\($0["none"] ?? "-")")
            },
            HubRoute("POST", "/shop/{id}", requires: .publish) { HubAnswer(status: 202, body: $0.body) },
            HubRoute("GET", "/broken") { _ in throw Fault() },
            HubRoute("GET", "/status") { HubAnswer(status: Int($0.query("is") ?? "") ?? 0) },
        ])
        for status in [-1, 0, 99, 100, 600, 1 << 40] {
            #expect(try await TestAnswer.to("GET", "/status?is=\(status)", of: hub).status == 500, "\(status)")
        }
        #expect(try await TestAnswer.to("GET", "/shop/a%2Fb?q=1&x=2&q=3", of: hub).body == "a/b|1|-")
        let posted = try await TestAnswer.to("POST", "/shop/a", of: hub, body: "data")
        #expect(posted.status == 202 && posted.body == "data")
        #expect(try await TestAnswer.to("GET", "/broken", of: hub).status == 500)
        #expect(try await TestAnswer.to("DELETE", "/shop/a", of: hub).status == 405)
        #expect(try await TestAnswer.to("GET", "/topics", of: hub).status == 200)
        await hub.shutdown()
        for (method, path) in [("GET", "/shop/{id}"), ("GET", "/shop/{order}"), ("POST", "/shop/{order}/items")] {
            let routes = [
                HubRoute("GET", "/shop/{id}") { _ in HubAnswer() }, HubRoute(method, path) { _ in HubAnswer() },
            ]
            await #expect(throws: HubError.self, "\(method) \(path)") { _ = try await start(routes) }
        }
        for path in ["/topics/mine", "/{any}", "/", "/openapi.json"] {
            await #expect(throws: HubError.self) { _ = try await start([HubRoute("GET", path) { _ in HubAnswer() }]) }
        }
    }
}
