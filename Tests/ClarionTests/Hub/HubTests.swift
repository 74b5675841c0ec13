import Webhooks
import EventLog
import Foundation
import Logging
@testable import MicroHTTP
import Synchronization
import Testing

@testable import Clarion

/// A whole hub over real sockets, with its log in memory.
@Suite(.serialized) struct HubTests {
    @Test func aStreamIsReleasedWhenItsClientIsGoneWithoutAnEventBeingPosted() async throws {
        try await withHub { hub in
            let client = try TestClient(port: hub.port)
            client.send("GET /topics/a/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            try await eventually { client.received().contains(": clarion") }
            weak let stream = hub.directory.all().first as? EventStream
            #expect(stream != nil)
            #expect(hub.streams.places.count == 1)
            client.close()
            // The gauge falls in `deinit`, and nowhere else.
            try await eventually { hub.streams.places.count == 0 }
            #expect(stream == nil)
            #expect(hub.directory.all().isEmpty)
            #expect(hub.log.tail == .start)
        }
    }

    @Test func moreStreamsThanDescriptorsAllowAreNotPromised() async throws {
        let possible = DescriptorBudget.ofProcess.streams
        for (wanted, lines) in [(possible, 0), (possible + 1, 1), (.max, 1)] {
            let told = Recorder<String>()
            var configuration = HubConfiguration(storage: .inMemory, durability: .memory)
            configuration.listens = false
            configuration.maximumStreams = wanted
            let logger = Logger(label: "test") { _ in RecordingLogHandler(messages: told) }
            let hub = try await Hub.start(configuration, logger: logger)
            #expect(hub.streams.places.maximum == possible)
            #expect(told.all.filter { $0.contains("\(wanted) streams") && $0.contains("\(possible)") }.count == lines)
            await hub.shutdown(grace: .zero)
        }
    }

    @Test func aHeadRequestForAStreamLeavesNothingBehind() async throws {
        try await withHub { hub in
            let client = try TestClient(port: hub.port)
            client.send("HEAD /topics/a/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            try await eventually { client.received().hasSuffix("\r\n\r\n") }
            try await eventually { hub.directory.all().isEmpty }
            #expect(hub.streams.places.count == 0)
        }
    }

    @Test func aPostInTheProcessReachesAStream() async throws {
        try await withHub { hub in
            let client = try TestClient(port: hub.port)
            client.send("GET /topics/a.*/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            try await eventually { client.received().contains(": clarion") }
            let event = try await hub.post(EventDraft(topic: try Topic("a.b"), data: Array("hello".utf8)))
            try await eventually { client.received().contains("id: \(event.id)\ndata: hello\n\n") }
        }
    }

    /// In a folder, whose lock shows whether a hub has stopped.
    private static func start(in folder: URL) async throws -> Hub {
        let configuration = HubConfiguration(
            server: ServerConfiguration(port: 0, serverName: "clarion"),
            storage: .directory(folder.path),
            durability: .process
        )
        return try await Hub.start(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "clarion-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test func whoeverShutsAHubDownWaitsUntilItHasStopped() async throws {
        try await Self.withFolder { folder in
            for _ in 0..<3 {
                let hub = try await Self.start(in: folder)
                async let first: Void = hub.shutdown()
                try await eventually { hub.isDraining }
                await hub.shutdown()
                let next = try await Self.start(in: folder)
                await next.shutdown()
                await first
            }
        }
    }

    /// Something of the program may well hold the one that was shut down.
    @Test func aHubThatHasStoppedHasLeftItsPort() async throws {
        func start(_ port: UInt16) async throws -> Hub {
            let configuration = HubConfiguration(
                server: ServerConfiguration(port: port, serverName: "clarion"),
                storage: .inMemory,
                durability: .memory
            )
            return try await Hub.start(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        let hub = try await start(0)
        await hub.shutdown()
        let next = try await start(hub.port)
        #expect(next.port == hub.port)
        await hub.shutdown()
        #expect(try await TestAnswer.to("GET", "/healthz", of: next).status == 200)
        await next.shutdown()
    }

    /// A program that drops its hub can start another one on the same folder.
    @Test func aHubThatIsReleasedStops() async throws {
        try await Self.withFolder { folder in
            weak var released: Hub?
            let listener = Recorder<Event>()
            do {
                let hub = try await Self.start(in: folder)
                released = hub
                try hub.observe("a", owner: listener, from: .earliest) { me, event in me.add(event) }
                try await hub.post("1", to: "a")
                _ = try await TestAnswer.to("GET", "/topics/a/value", of: hub)
                try await eventually { listener.all.count == 1 }
            }
            try await eventually { released == nil }
            var next: Hub?
            try await eventually {
                do {
                    next = try await Self.start(in: folder)
                } catch let error as EventLogError where error.code == .locked {}
                return next != nil
            }
            #expect(try await next?.history("a").map(\.text) == ["1"])
            await next?.shutdown()
        }
    }

    /// Streams and readers have ended by then: nobody would hear it before the next start.
    @Test func aHubThatShutsDownTakesNoPostsOfTheProcess() async throws {
        enum Bound: TypedNotification {
            typealias Info = Int
            static let name = "bound"
        }
        try await Self.withFolder { folder in
            let hub = try await Self.start(in: folder)
            let center = TypedNotificationCenter()
            try hub.bind(Bound.self, to: "bound", in: center)
            try await hub.post("before", to: "a")
            async let stopped: Void = hub.shutdown()
            try await eventually { hub.isDraining }
            let error = await #expect(throws: HubError.self) { try await hub.post("late", to: "a") }
            #expect(error?.code == "draining")
            Bound.post(1, in: center)
            await stopped
            let after = await #expect(throws: HubError.self) { try await hub.post("later", to: "a") }
            #expect(after?.code == "draining")
            let next = try await Self.start(in: folder)
            #expect(try await next.stored().map(\.text) == ["before"])
            await next.shutdown()
        }
    }

    /// Between the end of those that are there and the log's closing there are seconds, for attempts and requests under way.
    @Test(.timeLimit(.minutes(1))) func whoeverBeginsToListenWhileTheHubStopsIsEndedAtOnce() async throws {
        try await withHub { hub in
            let (gate, opensGate) = AsyncStream.makeStream(of: Void.self)
            hub.work.start { for await _ in gate {} }
            async let stopped: Void = hub.shutdown(grace: .seconds(30))
            var first = try hub.events("a").makeAsyncIterator()
            #expect(try await first.next() == nil)

            var late = try hub.events("a").makeAsyncIterator()
            #expect(try await late.next() == nil)
            let wish = StreamWish(
                name: nil,
                topics: [try TopicPattern("a")],
                types: EventTypes([]),
                format: .plain,
                remoteAddress: nil,
                address: ClientAddress(try Request(fields: [], from: "192.0.2.1:5000")),
                caller: .anyone
            )
            guard case .open(let stream, _) = hub.streams.open(wish, start: .latest) else {
                Issue.record("it is not opened")
                return
            }
            #expect(stream.outlet.isEnded)
            // The goodbye, so that its client comes back in its own time.
            #expect(stream.outlet.queuedBytes > 0)
            #expect(hub.directory.all().isEmpty)
            opensGate.finish()
            await stopped
        }
    }

    @Test func aFolderWhoseNameHasANULIsRefusedAndNoneIsMade() async throws {
        try await Self.withFolder { folder in
            let error = await #expect(throws: EventLogError.self) {
                _ = try await Hub.start(
                    HubConfiguration(
                        server: ServerConfiguration(port: 0, serverName: "clarion"),
                        storage: .directory(folder.path + "\0b")
                    ),
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                )
            }
            #expect(error?.code == .unwritable)
            #expect(!FileManager.default.fileExists(atPath: folder.path))
        }
    }

    @Test func aConsoleThatIsNotThereKeepsAHubFromStarting() async throws {
        let configuration = HubConfiguration(
            server: ServerConfiguration(port: 0, serverName: "clarion"),
            storage: .inMemory,
            durability: .memory,
            publicFolder: "/no/such/folder"
        )
        let error = await #expect(throws: HubError.self) {
            try await Hub.start(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        #expect(error?.code == HubError.publicFolderUnreadable)
        #expect(error?.message.contains("/no/such/folder") == true)
    }
}
