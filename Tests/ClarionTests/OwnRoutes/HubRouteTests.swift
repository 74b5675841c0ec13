import EventLog
import Locking
import Testing
import Webhooks

@testable import Clarion

/// Routes of the program's own.
@Suite struct HubRouteTests {
    /// What a route can do to an event that it was delivered.
    enum Way: CaseIterable {
        case post, request, notify
    }

    private enum Bound: TypedNotification {
        typealias Info = Int
        static let name = "bound"
    }

    private static func start(
        _ routes: [HubRoute],
        _ change: (inout HubConfiguration) throws -> Void = { _ in }
    ) async throws -> Hub {
        var configuration = HubConfiguration(
            server: ServerConfiguration(port: 0, serverName: "test"),
            storage: .inMemory,
            durability: .memory
        )
        configuration.routes = routes
        try change(&configuration)
        return try await Hub.start(configuration, logger: .init(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test(arguments: Way.allCases)
    func aWebhookThatLeadsInACircleThroughARouteOfTheProgramsOwnEnds(way: Way) async throws {
        let center = TypedNotificationCenter()
        let holder = Lock<Hub?>(nil)
        let hops = Recorder<String>()
        let route = HubRoute("POST", "/hook") { request in
            hops.add(request.header("Clarion-Hop") ?? "none")
            guard let hub = holder.withLock({ $0 }) else { return HubAnswer(status: 503) }
            switch way {
            case .post: try await hub.post("1", to: "circle")
            case .request: try await hub.request("POST", "/topics/circle/events", body: 1)
            case .notify: Bound.post(1, in: center)
            }
            return HubAnswer(status: 204)
        }
        let hub = try await Self.start([route]) { $0.webhooks.allowEgress = [try CIDRBlock("127.0.0.0/8")] }
        holder.withLock { $0 = hub }
        if way == .notify { try hub.bind(Bound.self, to: "circle", in: center) }
        try await hub.register(
            WebhookSettings(url: "http://127.0.0.1:\(hub.port)/hook", topics: ["circle"]),
            as: "circle"
        )
        try await hub.post(0, to: "circle")
        try await eventually { try await hub.webhook("circle").stats.deadLetters > 0 }
        #expect(hops.all == (1...8).map(String.init))
        #expect(try await hub.stored("circle").count == 9)
        holder.withLock { $0 = nil }
        await hub.shutdown(grace: .zero)
    }

    @Test func aRouteShutsItsHubDownInATaskAndAnswersFirst() async throws {
        let holder = Lock<Hub?>(nil)
        let hub = try await Self.start([
            HubRoute("POST", "/stop") { _ in
                guard let hub = holder.withLock({ $0.take() }) else { return HubAnswer(status: 503) }
                Task { await hub.shutdown() }
                while !hub.isDraining { await Task.yield() }
                return HubAnswer(text: "bye")
            }
        ])
        holder.withLock { $0 = hub }
        let began = ContinuousClock.now
        let answer = try await TestAnswer.to("POST", "/stop", of: hub)
        #expect(answer.status == 200 && answer.body == "bye")
        await hub.shutdown()
        // Two seconds are what requests are given that do not end.
        #expect(ContinuousClock.now - began < .seconds(2))
    }

    @Test func whatNoRequestCanMatchIsNoRoute() async throws {
        let refused = [
            ("GET", "/a?x"), ("GET", "/a#x"), ("GET", "/a%20b"), ("GET", "/a//b"), ("GET", "//a"), ("GET", "/a//"),
            ("GET", "/ok/{id}/{id}"), ("GET", "/ok/{id}/x/{id}"), ("B AD", "/a"), ("", "/a"), ("GET\r\n", "/a"),
            ("G\u{C9}T", "/a"), ("HEAD", "/a"),
        ]
        for (method, path) in refused {
            let error = await #expect(throws: HubError.self, "\(method) \(path)") {
                _ = try await Self.start([HubRoute(method, path) { _ in HubAnswer() }])
            }
            #expect(error?.code == HubError.routeInvalid, "\(method) \(path)")
        }
        // Each of these is one that requests reach.
        let hub = try await Self.start(
            [("GET", "/a b"), ("GET", "/caf\u{E9}/"), ("PROPFIND", "/x/{id}/{other}")].map { method, path in
                HubRoute(method, path) { _ in HubAnswer() }
            }
        )
        #expect(try await TestAnswer.to("GET", "/a%20b", of: hub).status == 200)
        #expect(try await TestAnswer.to("GET", "/caf%C3%A9", of: hub).status == 200)
        #expect(try await TestAnswer.to("PROPFIND", "/x/1/2", of: hub).status == 200)
        await hub.shutdown(grace: .zero)
    }

    @Test func aDeliveryIsForARouteOfTheProgramsOwnAsForAPost() async throws {
        let hub = try await Self.start([HubRoute("POST", "/hook") { _ in HubAnswer(status: 204) }])
        func status(_ target: String, hop: String) async throws -> Int {
            let client = try TestClient(port: hub.port)
            defer { client.close() }
            client.send(
                "POST \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nClarion-Hop: \(hop)\r\n"
                    + "Content-Length: 0\r\n\r\n"
            )
            let words = try await client.receivedToTheEnd().split(separator: " ")
            return try #require(words.dropFirst().first.flatMap { Int($0) })
        }
        #expect(try await status("/hook", hop: "8") == 204)
        #expect(try await status("/hook", hop: "9") == 508)
        #expect(try await status("/hook", hop: "x") == 400)
        #expect(try await status("/observers/a/recover", hop: "1") == 508)
        await hub.shutdown(grace: .zero)
    }

    @Test(arguments: [
        HubAnswer(status: 199), HubAnswer(status: 600), HubAnswer(headers: [("", "x")]),
        HubAnswer(headers: [("a b", "x")]),
        HubAnswer(headers: [("Set-Cookie", "a=1\r\nb: 2")]), HubAnswer(headers: [("Name", "x\0")]),
    ])
    func anAnswerThatCannotBeSentAsItIsIsNone(answer: HubAnswer) async throws {
        let hub = try await Self.start([HubRoute("GET", "/x") { _ in answer }])
        #expect(try await TestAnswer.to("GET", "/x", of: hub).status == 500)
        await hub.shutdown(grace: .zero)
    }
}
