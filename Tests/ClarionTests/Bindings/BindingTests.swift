import MicroHTTP
import Webhooks
import EventLog
import Logging
import Testing

@testable import Clarion

/// Notifications of the process bound to topics of a whole hub.
@Suite(.serialized) struct BindingTests {
    private let center = TypedNotificationCenter()
    private let heard = Recorder<MarketChanged.Info>()
    private let zzf = MarketChanged.Info(name: "zzf", price: 18)

    private func listen() -> ObservationToken {
        MarketChanged.observe(in: center) { [heard] info in heard.add(info) }
    }

    private func post(_ body: String, to hub: Hub) async throws -> Int {
        try await TestAnswer.to("POST", "/topics/market.changed/events", of: hub, body: body).status
    }

    @Test func aPostInTheProcessIsAnEventOnceAndIsHeardOnce() async throws {
        try await withHub { hub in
            let before = listen()
            try hub.bind(MarketChanged.self, to: "market.changed", in: center)
            let after = listen()
            let stream = try TestClient(port: hub.port)
            stream.send("GET /topics/market.*/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            try await eventually { stream.received().contains(": clarion") }
            MarketChanged.post(zzf, in: center)
            MarketChanged.post(.init(name: "end", price: 0), in: center)
            try await eventually { stream.received().contains("end") }
            #expect(stream.received().contains(#"data: {"name":"zzf","price":18}"#))
            #expect(heard.all.map(\.name) == ["zzf", "zzf", "end", "end"])
            let events = try await hub.stored()
            #expect(events.map(\.text) == [#"{"name":"zzf","price":18}"#, #"{"name":"end","price":0}"#])
            #expect(events.map(\.contentType) == ["application/json", "application/json"])
            #expect(events.map(\.type) == [nil, nil])
            withExtendedLifetime((before, after)) {}
        }
    }

    @Test func aPostOverHTTPReachesTheProcessOnceAndIsStoredOnce() async throws {
        try await withHub { hub in
            let before = listen()
            try hub.bind(MarketChanged.self, to: "market.changed", in: center)
            #expect(try await post(#"{"name": "zzf", "price": 18}"#, to: hub) == 201)
            #expect(try await post(#"{"price": 1, "name": "end", "more": []}"#, to: hub) == 201)
            try await eventually { heard.all.count >= 2 }
            MarketChanged.post(.init(name: "process", price: 0), in: center)
            try await eventually { hub.log.tail.rawValue >= 3 }
            #expect(heard.all.map(\.name) == ["zzf", "end", "process"])
            let events = try await hub.stored()
            #expect(events.count == 3)
            #expect(events[0].text == #"{"name": "zzf", "price": 18}"#, "data is kept as posted")
            #expect(events[0].contentType == "application/json", "not the form that curl claims")
            withExtendedLifetime(before) {}
        }
    }

    @Test func aPostThroughTheHubReachesTheProcess() async throws {
        try await withHub { hub in
            let token = listen()
            try hub.bind(MarketChanged.self, to: "market.changed", in: center)
            try await hub.post(#"{"name":"zzf","price":18}"#, to: "market.changed")
            try await eventually { heard.all == [zzf] }
            withExtendedLifetime(token) {}
        }
    }

    @Test func theSharedCentreIsTheDefault() async throws {
        try await withHub { hub in
            try hub.bind(MarketChanged.self, to: "market.changed")
            let token = MarketChanged.observe { [heard] info in heard.add(info) }
            MarketChanged.post(zzf)
            #expect(try await post(#"{"name": "http", "price": 18}"#, to: hub) == 201)
            try await eventually { heard.all.map(\.name) == ["zzf", "http"] }
            #expect(try await hub.stored().count == 2)
            withExtendedLifetime(token) {}
        }
    }

    @Test(arguments: [true, false])
    func whatAnObserverPostsInAnswerIsAnEventToo(isRegisteredFirst: Bool) async throws {
        try await withHub { hub in
            @Sendable func answer(_ info: MarketChanged.Info) {
                heard.add(info)
                // The second answer has the content of the post itself.
                if info.name == "ask" { MarketChanged.post(.init(name: "again", price: 2), in: center) }
                if info.name == "again" { MarketChanged.post(.init(name: "ask!", price: 1), in: center) }
            }
            var token: ObservationToken?
            if isRegisteredFirst { token = MarketChanged.observe(in: center, answer) }
            try hub.bind(MarketChanged.self, to: "market.changed", in: center)
            if !isRegisteredFirst { token = MarketChanged.observe(in: center, answer) }
            #expect(try await post(#"{"name": "ask", "price": 1}"#, to: hub) == 201)
            try await eventually { hub.log.tail.rawValue >= 3 }
            MarketChanged.post(.init(name: "end", price: 0), in: center)
            try await eventually { hub.log.tail.rawValue >= 4 }
            #expect(heard.all.map(\.name) == ["ask", "again", "ask!", "end"])
            let names = try await hub.stored().map { try InfoCoder.decode(MarketChanged.Info.self, from: $0.data).name }
            // Inner posts are heard first by whoever is registered behind the one that answers.
            #expect(names.first == "ask" && names.last == "end")
            #expect(Set(names) == ["ask", "again", "ask!", "end"])
            withExtendedLifetime(token) {}
        }
    }

    @Test func twoHubsInOneCentreHearEachOtherWithoutEcho() async throws {
        try await withHub { one in
            try await withHub { other in
                let token = listen()
                try one.bind(MarketChanged.self, to: "market.changed", in: center)
                try other.bind(MarketChanged.self, to: "market.moved", in: center)
                #expect(try await post(#"{"name": "http", "price": 1}"#, to: one) == 201)
                try await eventually { other.log.tail.rawValue >= 1 }
                MarketChanged.post(.init(name: "process", price: 2), in: center)
                try await eventually { one.log.tail.rawValue >= 2 && other.log.tail.rawValue >= 2 }
                try await other.post(#"{"name":"other","price":3}"#, to: "market.moved")
                try await eventually { one.log.tail.rawValue >= 3 }
                #expect(heard.all.map(\.name) == ["http", "process", "other"])
                #expect(try await one.stored("market.changed").count == 3)
                #expect(try await other.stored("market.moved").count == 3)
                withExtendedLifetime(token) {}
            }
        }
    }

    @Test func postsFromBothSidesAtOnceAreEachStoredAndHeardOnceInOrder() async throws {
        try await withHub { hub in
            try hub.bind(MarketChanged.self, to: "market.changed", in: center)
            let token = listen()
            await withTaskGroup(of: Void.self) { group in
                for poster in 0..<4 {
                    group.addTask {
                        for n in 0..<100 {
                            MarketChanged.post(.init(name: "in\(poster)", price: Double(n)), in: center)
                        }
                    }
                    group.addTask {
                        for n in 0..<100 {
                            _ = try? await hub.post(#"{"name":"out\#(poster)","price":\#(n)}"#, to: "market.changed")
                        }
                    }
                }
            }
            try await eventually { heard.all.count >= 800 && hub.log.tail.rawValue >= 800 }
            let stored = try await hub.stored().map { try InfoCoder.decode(MarketChanged.Info.self, from: $0.data) }
            #expect(stored.count == 800)
            #expect(heard.all.count == 800)
            let expected = (0..<100).map(Double.init)
            for infos in [stored, heard.all] {
                for name in (0..<4).flatMap({ ["in\($0)", "out\($0)"] }) {
                    #expect(infos.filter { $0.name == name }.map(\.price) == expected)
                }
            }
            withExtendedLifetime(token) {}
        }
    }

    @Test func eventsFromBeforeTheBindingAreNotPostedToTheCentre() async throws {
        try await withHub { hub in
            let token = listen()
            try await hub.post("no JSON", to: "market.changed")
            try hub.bind(MarketChanged.self, to: "market.changed", in: center)
            try await hub.post(#"{"name":"zzf","price":18}"#, to: "market.changed")
            try await eventually { heard.all == [zzf] }
            withExtendedLifetime(token) {}
        }
    }

    @Test func aTopicAndANotificationAreBoundOnce() async throws {
        try await withHub { hub in
            try hub.bind(MarketChanged.self, to: "market.changed", in: center)
            func code(_ bind: () throws(HubError) -> Void) -> String? {
                do throws(HubError) {
                    try bind()
                    return nil
                } catch {
                    return error.code
                }
            }
            #expect(
                code { () throws(HubError) in
                    try hub.bind(OrderPlaced.self, to: "market.changed", in: center)
                } == HubError.topicBound
            )
            #expect(
                code { () throws(HubError) in
                    try hub.bind(MarketChanged.self, to: "market.changed", in: center)
                } == HubError.topicBound
            )
            #expect(
                code { () throws(HubError) in
                    try hub.bind(MarketChanged.self, to: "elsewhere", in: TypedNotificationCenter())
                } == HubError.notificationBound
            )
            #expect(
                code { () throws(HubError) in
                    try hub.bind(OrderPlaced.self, to: "orders.*", in: center)
                } == "topic-invalid"
            )
            #expect(
                code { () throws(HubError) in
                    try hub.bind(OrderPlaced.self, to: "orders", in: center)
                } == nil
            )
        }
    }

    @Test func anEndedBindingBindsNothing() async throws {
        try await withHub { hub in
            let token = listen()
            try hub.bind(MarketChanged.self, to: "market.changed", in: center)
            #expect(hub.unbind(MarketChanged.self))
            #expect(!hub.unbind(MarketChanged.self))
            MarketChanged.post(zzf, in: center)
            #expect(try await post("no JSON", to: hub) == 201)
            #expect(try await hub.stored().map(\.text) == ["no JSON"])
            #expect(heard.all == [zzf])
            try hub.bind(MarketChanged.self, to: "market.moved", in: center)
            MarketChanged.post(zzf, in: center)
            try await eventually { hub.log.tail.rawValue >= 2 }
            #expect(try await hub.stored("market.moved").count == 1)
            withExtendedLifetime(token) {}
        }
    }

    @Test func theCentreKeepsNoHubAliveAndTheHubEndsItsBindings() async throws {
        weak var released: Hub?
        let logs = Recorder<String>()
        try await withHub(logger: Logger(label: "test") { _ in RecordingLogHandler(messages: logs) }) { hub in
            released = hub
            try hub.bind(MarketChanged.self, to: "market.changed", in: center)
        }
        try await eventually { released == nil }
        MarketChanged.post(zzf, in: center)
        #expect(logs.all.isEmpty)
    }

    @Test func whatCannotBeStoredIsLogged() async throws {
        let logs = Recorder<String>()
        try await withHub(logger: Logger(label: "test") { _ in RecordingLogHandler(messages: logs) }) { hub in
            try hub.bind(MarketChanged.self, to: "market.changed", in: center)
            MarketChanged.post(.init(name: "no number of JSON", price: .nan), in: center)
            #expect(logs.all == ["a notification could not be posted to its topic"])
            await hub.log.close()
            MarketChanged.post(zzf, in: center)
            #expect(logs.all.count == 2)
        }
    }

    @Test func aHubThatHasShutDownTakesNeitherPostsNorBindings() async throws {
        try await withHub { hub in
            await hub.shutdown(grace: .zero)
            func code(_ body: () async throws(HubError) -> Void) async -> String? {
                do throws(HubError) { try await body() } catch { return error.code }
                return nil
            }
            #expect(await code { () throws(HubError) in try await hub.post(1, to: "a") } == "draining")
            #expect(
                await code { () throws(HubError) in try hub.bind(MarketChanged.self, to: "a", in: center) }
                    == "draining"
            )
        }
    }
}
