import Glibc
import MicroHTTP
import Randomness
import Synchronization
import Testing

extension Live {
    /// Silence, drops and ends, over real sockets.
    @Suite struct OpenStreamsTests {
        @Test func `a silent stream is kept alive, a busy one is not`() async throws {
            let source = StreamSource()
            try await withServer(keepAlive: .milliseconds(100), respond: source.reply) { server, streams in
                let silent = try RawClient.streaming(from: server, path: "/silent")
                let busy = try RawClient.streaming(from: server, path: "/busy")
                await eventually { streams.count == 2 }
                let stream = try #require(source.owners.first { $0.path == "busy" }).stream
                let isOver = Atomic<Bool>(false)
                async let longestSilence = Task {
                    var (last, longest) = (ContinuousClock.now, Duration.zero)
                    while !isOver.load(ordering: .relaxed) {
                        _ = stream.send(Frame(text: "busy\n\n").whole)
                        longest = max(longest, ContinuousClock.now - last)
                        last = .now
                        try? await Task.sleep(for: .milliseconds(5))
                    }
                    return longest
                }.value
                let start = ContinuousClock.now
                for _ in 0..<3 { _ = try silent.take(through: ": alive\n\n") }
                let elapsed = ContinuousClock.now - start
                isOver.store(true, ordering: .relaxed)
                // Where processors are few, it may have been silent itself.
                let wasBusy = await longestSilence < .milliseconds(50)
                // Three intervals, each short by a tick and the clock's grain at most.
                #expect(elapsed > .milliseconds(200))
                expectFigure("three keep-alive comments", elapsed, atMost: .seconds(3))
                stream.end()
                let heard = String(decoding: try busy.takeAll(), as: UTF8.self)
                #expect(!wasBusy || !heard.contains("alive"))
            }
        }

        @Test(arguments: [false, true]) func `a client that leaves is noticed although nothing is sent`(
            byReset: Bool
        ) async throws {
            let source = StreamSource()
            try await withServer(respond: source.reply) { server, streams in
                for _ in 0..<20 {
                    let client = try RawClient.streaming(from: server)
                    await eventually { streams.count == 1 }
                    #expect(source.living == 1)
                    let start = ContinuousClock.now
                    if byReset { client.reset() } else { client.close() }
                    await eventually { source.living == 0 }
                    expectFigure("noticing", ContinuousClock.now - start, atMost: .milliseconds(100))
                    await eventually { streams.count == 0 && server.connections == 0 }
                }
            }
        }

        @Test func `a client that leaves before the hand-over is noticed too`() async throws {
            let source = StreamSource()
            try await withServer(respond: source.reply) { server, streams in
                for number in 0..<200 {
                    let client = try RawClient(port: server.port)
                    try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                    if number.isMultiple(of: 2) { client.reset() } else { client.close() }
                }
                await eventually { server.connections == 0 && source.living == 0 && streams.count == 0 }
            }
        }

        @Test func `a blocked stream whose client leaves is let go`() async throws {
            let source = StreamSource(outboxLimit: 100_000_000)
            try await withServer(respond: source.reply) { server, streams in
                let client = try RawClient.streaming(from: server, receiveBuffer: 2048)
                await eventually { streams.count == 1 }
                _ = source.owners.first?.stream.send(Frame([UInt8](repeating: 7, count: 30_000_000)).whole)
                await eventually { (source.owners.first?.stream.queuedBytes ?? 0) < 30_000_000 }
                client.close()
                await eventually { source.living == 0 && streams.count == 0 }
            }
        }

        @Test(arguments: UInt64(0)..<3) func `a thousand streams opened and cut at random leave nothing behind`(
            seed: UInt64
        ) async throws {
            let source = StreamSource()
            try await withServer(respond: source.reply) { server, streams in
                let isOver = Atomic<Bool>(false)
                let frame = Frame(text: "data: x\n\n")
                async let sending = Task {
                    while !isOver.load(ordering: .relaxed) {
                        for owner in source.owners { _ = owner.stream.send(frame.whole) }
                        await Task.yield()
                    }
                }.value
                var generator = SeededGenerator(seed: seed)
                var clients: [RawClient] = []
                for _ in 0..<1000 {
                    let client = try RawClient(port: server.port)
                    try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                    clients.append(client)
                    while clients.count > 100 || (!clients.isEmpty && Bool.random(using: &generator)) {
                        let victim = clients.remove(at: .random(in: 0..<clients.count, using: &generator))
                        switch Int.random(in: 0..<4, using: &generator) {
                        case 0: victim.reset()
                        case 1: victim.close()
                        case 2:
                            _ = try victim.takeHead()
                            victim.close()
                        default: source.owners.randomElement(using: &generator)?.stream.end()
                        }
                    }
                }
                clients = []
                await eventually {
                    streams.count == 0 && source.living == 0 && server.connections == 0
                }
                isOver.store(true, ordering: .relaxed)
                await sending
            }
        }

        @Test func `a stream that ends takes its connection and descriptor with it`() async throws {
            let source = StreamSource()
            try await withServer(
                respond: { request, streams in
                    request.method == .post ? .now(Response(.ok)) : source.reply(request, streams)
                },
                { server, streams in
                    // Each server thread looks at its oldest connection in every turn: these hide the others from it.
                    let idle = try (0..<10).map { _ in try RawClient(port: server.port) }
                    for client in idle { _ = try client.exchange("POST", "/") }
                    let clients = try (0..<50).map { _ in
                        try RawClient.streaming(from: server, headers: "Connection: close\r\n")
                    }
                    await eventually { streams.count == clients.count }
                    for owner in source.owners { owner.stream.end() }
                    for client in clients {
                        #expect(try client.takeAll().isEmpty)
                        #expect(client.endedInOrder)
                    }
                    await eventually(within: .seconds(1)) { server.connections == idle.count }
                }
            )
        }

        @Test func `an orderly end is never inside a frame`() async throws {
            let source = StreamSource(outboxLimit: 10_000_000)
            try await withServer(respond: source.reply) { server, streams in
                let clients = try (0..<20).map { _ in try RawClient.streaming(from: server, receiveBuffer: 2048) }
                await eventually { streams.count == clients.count }
                let frame = Frame(text: "data: " + String(repeating: "x", count: 5000) + "\n\n")
                async let sending = Task {
                    var isOpen = true
                    while isOpen {
                        isOpen = false
                        for owner in source.owners {
                            if case .ended = owner.stream.send(frame.whole) { continue }
                            isOpen = true
                        }
                        await Task.yield()
                    }
                }.value
                for owner in source.owners {
                    await eventually { owner.stream.queuedBytes > 1_000_000 }
                    owner.stream.end(after: Frame(text: ": bye\n\n").whole)
                }
                for client in clients {
                    let text = String(decoding: try client.takeAll(), as: UTF8.self)
                    #expect(text.hasSuffix("x\n\n: bye\n\n"))
                    #expect((text.utf8.count - 7) % frame.count == 0)
                }
                await sending
            }
        }

        @Test func `streams that are cut do not look whole, and may be cut twice`() async throws {
            let source = StreamSource()
            try await withServer(respond: source.reply) { server, streams in
                let clients = try (0..<10).map { _ in try RawClient.streaming(from: server) }
                await eventually { streams.count == clients.count }
                for owner in source.owners {
                    owner.stream.cut()
                    owner.stream.cut()
                }
                for client in clients {
                    #expect(try client.takeAll().isEmpty)
                    // What was cut must not look whole.
                    #expect(!client.endedInOrder)
                }
                await eventually { source.living == 0 }
            }
        }

        @Test(arguments: [1, 2, 4])
        func `who asks at the same time as a thousand others gets a stream, and all may leave at once`(
            loops: Int
        ) async throws {
            let source = StreamSource()
            try await withServer(adjust: { $0.threads = loops }, respond: source.reply) { server, streams in
                var clients = try (0..<1000).map { _ in try RawClient(port: server.port) }
                let start = ContinuousClock.now
                for client in clients { try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
                await eventually { streams.count == clients.count }
                expectFigure("a thousand streams", ContinuousClock.now - start, atMost: .seconds(2))
                for client in clients { _ = try client.takeHead() }
                // Each connection counts once, though it had two descriptors for a moment.
                await eventually { server.connections == clients.count }
                let end = ContinuousClock.now
                clients = []
                await eventually { source.living == 0 && streams.count == 0 && server.connections == 0 }
                expectFigure("a thousand drops", ContinuousClock.now - end, atMost: .seconds(1))
            }
        }

        @Test func `a request that was sent behind that of a stream is answered when the stream has ended`()
            async throws
        {
            let source = StreamSource()
            try await withServer(
                respond: { request, streams in
                    request.method == .post ? .now(Response(.created)) : source.reply(request, streams)
                },
                { server, streams in
                    // Before the stream's head is sent; and while it is open.
                    for isEarly in [true, false] {
                        let client = try RawClient(port: server.port)
                        let next = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"
                        try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n" + (isEarly ? next : ""))
                        #expect(try client.takeHead().status == 200)
                        await eventually { streams.count == 1 }
                        if !isEarly { try client.send(next) }
                        source.owners.last?.stream.end()
                        client.beginChunks()
                        _ = try client.takeAll()
                        #expect(client.endedInOrder)
                        client.endChunks()
                        #expect(try client.takeHead().status == 201)
                        await eventually { streams.count == 0 && source.living == 0 }
                    }
                }
            )
        }
    }
}
