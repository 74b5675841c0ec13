import Locking
import Logging
import MicroHTTP
import Synchronization
import Testing

extension Live {
    /// Stopping a server that is at work.
    @Suite struct StopTests {
        private func start(
            _ respond: @escaping @Sendable (Request, OpenStreams) -> Reply
        ) throws -> (HTTPServer, OpenStreams) {
            let streams = OpenStreams(keepAlive: .init(interval: .seconds(15), frame: Frame(text: ":\n\n")))
            var logger = Logger(label: "tests")
            logger.logLevel = .critical
            let configuration = ServerConfiguration(port: 0, maximumConnections: 4096, serverName: "tests")
            return (
                try HTTPServer(configuration: configuration, streams: streams, logger: logger) { respond($0, streams) },
                streams
            )
        }

        /// Clients that ask for everything until the server takes no more.
        private final class Load: Sendable {
            private let count = Atomic<Int>(0)
            private let port: UInt16

            init(port: UInt16) {
                self.port = port
            }

            var answered: Int { count.load(ordering: .relaxed) }

            func run() async {
                await Threads.run(6) { self.ask(for: ["/now", "/later", "/stream"][$0 % 3]) }
            }

            private func ask(for target: String) {
                while let client = try? RawClient(port: port, deadline: 0.2) {
                    if target == "/stream" {
                        _ = try? client.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n")
                        guard (try? client.takeHead()) != nil else { return }
                    } else {
                        guard let response = try? client.exchange("POST", target) else { return }
                        #expect([200, 201, 503].contains(response.status))
                    }
                    count.add(1, ordering: .relaxed)
                }
            }
        }

        @Test func `streams that end are waited for, and lose nothing`() async throws {
            let source = StreamSource(outboxLimit: 100_000_000)
            let (server, streams) = try start(source.reply)
            let clients = try (0..<20).map { _ in try RawClient.streaming(from: server, receiveBuffer: 4096) }
            await eventually { streams.count == clients.count }
            let frame = Frame([UInt8](repeating: 7, count: 1_000_000))
            for owner in source.owners {
                _ = owner.stream.send(frame.whole)
                owner.stream.end(after: Frame(text: "bye").whole)
            }
            async let isStopped = server.stop(grace: .seconds(20))
            for client in clients { #expect(try client.takeAll().count == frame.count + 3) }
            #expect(await isStopped)
            #expect(source.living == 0)
        }

        @Test func `streams that do not end are cut after the grace period`() async throws {
            let source = StreamSource()
            let (server, streams) = try start(source.reply)
            let clients = try (0..<200).map { _ in try RawClient.streaming(from: server) }
            await eventually { streams.count == clients.count }
            let start = ContinuousClock.now
            #expect(await server.stop(grace: .milliseconds(50)))
            #expect(ContinuousClock.now - start >= .milliseconds(50))
            #expect(source.living == 0)
            for client in clients { #expect(try client.takeAll().isEmpty) }
        }

        @Test func `a request that waits gets its answer`() async throws {
            let waiting = Lock<Responder?>(nil)
            let (server, _) = try start { _, _ in .later { responder in waiting.withLock { $0 = responder } } }
            let client = try RawClient(port: server.port)
            try client.send("POST / HTTP/1.1\r\nHost: h\r\n\r\n")
            await eventually { waiting.withLock { $0 != nil } }
            let isStopping = Atomic<Bool>(false)
            async let isStopped = Task {
                isStopping.store(true, ordering: .relaxed)
                return await server.stop(grace: .seconds(20))
            }.value
            await eventually { isStopping.load(ordering: .relaxed) }
            waiting.withLock { $0 }?.respond(Response(.created, body: Array("done".utf8)))
            let response = try client.takeResponse()
            #expect(response.status == 201)
            #expect(response.text == "done")
            #expect(await isStopped)
        }

        @Test func `a request that is never answered does not abort the process`() async throws {
            let waiting = Lock<Responder?>(nil)
            let (server, _) = try start { _, _ in .later { responder in waiting.withLock { $0 = responder } } }
            let client = try RawClient(port: server.port)
            try client.send("POST / HTTP/1.1\r\nHost: h\r\n\r\n")
            await eventually { waiting.withLock { $0 != nil } }
            #expect(await server.stop(grace: .zero) == false)
            waiting.withLock { $0 = nil }
            #expect(try client.takeResponse().status == 500)
            #expect(await server.stop(grace: .seconds(5)))
        }

        @Test func `a server that stops under load answers what it began and aborts nothing`() async throws {
            for round in 0..<20 {
                let source = StreamSource()
                let (server, _) = try start { request, streams in
                    switch request.target.segments.first {
                    case "stream": source.reply(request, streams)
                    case "later": .later { $0.respond(Response(.created)) }
                    default: .now(Response(.ok))
                    }
                }
                let load = Load(port: server.port)
                async let loading: Void = load.run()
                await eventually { load.answered > 50 * (round % 4) }
                #expect(await server.stop(grace: .milliseconds(round * 5)))
                #expect(source.living == 0)
                await loading
            }
        }

        @Test func `a connection that is kept brings no more requests than it must`() async throws {
            let (server, _) = try start { _, _ in .now(Response(.ok)) }
            let client = try RawClient(port: server.port)
            #expect(try client.exchange("GET", "/")["Connection"] == nil)
            async let isStopped = server.stop(grace: .seconds(20))
            _ = try? client.takeAll()
            #expect(await isStopped)
            #expect(await server.stop())
        }

        @Test func `a quiesced server takes no more connections and goes on with those it has`() async throws {
            let (server, _) = try start { _, _ in .now(Response(.ok)) }
            let client = try RawClient(port: server.port)
            #expect(try client.exchange("GET", "/").status == 200)
            server.quiesce()
            server.quiesce()
            #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port, deadline: 0.2) }
            #expect(try client.exchange("GET", "/").status == 200)
            #expect(await server.stop())
            // Now there is nobody to retry with.
            #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
        }

        /// Until then attempts are dropped, as a client that is refused does not try again.
        @Test func `a server that has stopped keeps its port until it leaves it`() async throws {
            let (server, _) = try start { _, _ in .now(Response(.ok)) }
            let port = server.port
            // Loops are using the socket.
            server.leavePort()
            #expect(try RawClient(port: port).exchange("GET", "/").status == 200)
            #expect(await server.stop())
            #expect(throws: ServerError.self) { try Self.listen(on: port) }
            server.leavePort()
            let next = try Self.listen(on: port)
            // The number of the descriptor may be the next one's by now.
            server.leavePort()
            server.quiesce()
            #expect(await server.stop())
            #expect(try RawClient(port: port).exchange("GET", "/").status == 200)
            #expect(await next.stop())
            withExtendedLifetime(server) {}
        }

        private static func listen(on port: UInt16) throws -> HTTPServer {
            let streams = OpenStreams(keepAlive: .init(interval: .seconds(15), frame: Frame(text: ":\n\n")))
            let configuration = ServerConfiguration(port: port, serverName: "tests")
            return try HTTPServer(configuration: configuration, streams: streams, logger: Logger(label: "tests")) { _ in
                .now(Response(.ok))
            }
        }

        @Test func `a server that is let go without being stopped takes its threads with it`() async throws {
            var server: HTTPServer? = try start { _, _ in .now(Response(.ok)) }.0
            let port = try #require(server?.port)
            #expect(try RawClient(port: port).exchange("GET", "/").status == 200)
            server = nil
            #expect(throws: RawClient.Failure.self) { try RawClient(port: port).exchange("GET", "/") }
        }
    }
}
