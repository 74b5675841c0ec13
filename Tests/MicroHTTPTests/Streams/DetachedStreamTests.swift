import Dispatch
import MicroHTTP
import Randomness
import Synchronization
import Testing

extension Live {
    /// Detached streams over real sockets.
    @Suite struct DetachedStreamTests {
        @Test(arguments: [": hello\n\n", "", String(repeating: "retry: 3000, ", count: 300)])
        func `head and prelude come at once, and an orderly end is the last chunk`(prelude: String) async throws {
            let source = StreamSource(prelude: prelude)
            try await withServer(respond: source.reply) { server, streams in
                let client = try RawClient(port: server.port)
                let start = ContinuousClock.now
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                let head = try client.takeHead()
                client.beginChunks()
                #expect(String(decoding: try client.take(prelude.utf8.count), as: UTF8.self) == prelude)
                // Corked bytes would be held back for 200 ms.
                expectFigure("head and prelude", ContinuousClock.now - start, atMost: .milliseconds(150))
                #expect(head.statusLine == "HTTP/1.1 200 OK")
                #expect(head["Content-Type"] == "text/event-stream")
                #expect(head["Transfer-Encoding"] == "chunked")
                #expect(head["Content-Length"] == nil)
                await eventually { streams.count == 1 }
                source.owners[0].stream.end(after: Frame(text: "last").whole)
                #expect(String(decoding: try client.takeAll(), as: UTF8.self) == "last")
                #expect(client.endedInOrder)
                await eventually { source.living == 0 && streams.count == 0 }
                // The connection is there for the next request.
                client.endChunks()
                try client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.takeHead().status == 200)
            }
        }

        @Test func `a stream may be the answer to a request that waited`() async throws {
            let source = StreamSource(prepare: { _ = $0.send(Frame(text: "one,").whole) })
            let respond: @Sendable (Request, OpenStreams) -> Reply = { request, streams in
                .later { responder in
                    DispatchQueue.global().async { responder.reply { source.reply(request, streams) } }
                }
            }
            try await withServer(respond: respond) { server, streams in
                for round in 1...50 {
                    let client = try RawClient.streaming(from: server)
                    #expect(String(decoding: try client.take(4), as: UTF8.self) == "one,")
                    let owner = try #require(source.owners.last)
                    // Half of them are ended by the server, half by the client.
                    guard round.isMultiple(of: 2) else { continue }
                    owner.stream.end(after: Frame(text: "last").whole)
                    #expect(String(decoding: try client.takeAll(), as: UTF8.self) == "last")
                }
                await eventually { source.living == 0 && streams.count == 0 }
            }
        }

        @Test func `what is sent before the hand-over follows the prelude`() async throws {
            let source = StreamSource(prepare: { stream in
                _ = stream.send(Frame(text: "one,").whole)
                _ = stream.send(Frame(text: "-two,-")[1..<5])
            })
            try await withServer(respond: source.reply) { server, _ in
                let client = try RawClient.streaming(from: server)
                #expect(String(decoding: try client.take(8), as: UTF8.self) == "one,two,")
            }
        }

        @Test func `a stream that is ended before the hand-over still says its last word`() async throws {
            let source = StreamSource(prepare: { stream in
                _ = stream.send(Frame(text: "one,").whole)
                stream.end(after: Frame(text: "last").whole)
                #expect(stream.isEnded)
            })
            try await withServer(respond: source.reply) { server, streams in
                for _ in 0..<50 {
                    let client = try RawClient.streaming(from: server)
                    #expect(String(decoding: try client.takeAll(), as: UTF8.self) == "one,last")
                }
                await eventually { source.living == 0 && streams.count == 0 }
            }
        }

        @Test func `an empty chunk is nothing, alone, amid others and at the end`() async throws {
            let source = StreamSource()
            try await withServer(respond: source.reply) { server, _ in
                let client = try RawClient.streaming(from: server)
                let empty = Frame([]).whole
                for chunk in [empty, Frame(text: "a").whole, empty, Frame(text: "b").whole, empty] {
                    guard case .queued = source.owners[0].stream.send(chunk) else {
                        Issue.record("Not queued.")
                        return
                    }
                }
                source.owners[0].stream.end(after: empty)
                #expect(String(decoding: try client.takeAll(), as: UTF8.self) == "ab")
            }
        }

        @Test func `HEAD gets the head, and the stream is over`() async throws {
            let source = StreamSource(prepare: { _ = $0.send(Frame(text: "one").whole) })
            try await withServer(respond: source.reply) { server, streams in
                let client = try RawClient(port: server.port)
                try client.send("HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                #expect(try client.takeHead()["Content-Type"] == "text/event-stream")
                #expect(try client.takeAll().isEmpty)
                await eventually { source.living == 0 }
                #expect(streams.count == 0)
            }
        }

        @Test func `a stream follows other requests on its connection, and answers HTTP/1.0`() async throws {
            let source = StreamSource()
            try await withServer(
                respond: { request, streams in
                    request.method == .post ? .now(Response(.created)) : source.reply(request, streams)
                },
                { server, _ in
                    let client = try RawClient(port: server.port)
                    #expect(try client.exchange("POST", "/", body: [1, 2, 3]).status == 201)
                    try client.send("GET / HTTP/1.0\r\n\r\n")
                    #expect(try client.takeHead().status == 200)
                    _ = try client.take(through: ": hello\n\n")
                    source.owners[0].stream.end()
                    #expect(try client.takeAll().isEmpty)
                }
            )
        }

        @Test func `frames of concurrent senders arrive whole, each sender's in order`() async throws {
            let (listeners, senders, count) = (100, 8, 50)
            let source = StreamSource()
            try await withServer(respond: source.reply) { server, streams in
                let clients = try (0..<listeners).map { _ in try RawClient.streaming(from: server) }
                await eventually { streams.count == listeners }
                let targets = source.owners.map(\.stream)
                await withTaskGroup { group in
                    for sender in 0..<senders {
                        group.addTask {
                            for number in 0..<count {
                                // One frame shared by all streams, as a broadcast does it.
                                let frame = Frame(
                                    text: "\(sender) \(number) \(String(repeating: "x", count: number))\n"
                                )
                                for target in targets { _ = target.send(frame.whole) }
                            }
                        }
                    }
                }
                for target in targets { target.end(after: Frame(text: "end\n").whole) }
                for client in clients {
                    var next = [Int](repeating: 0, count: senders)
                    var lines = String(decoding: try client.takeAll(), as: UTF8.self).split(separator: "\n")
                    #expect(lines.popLast() == "end")
                    #expect(lines.count == senders * count)
                    for line in lines {
                        let words = line.split(separator: " ", omittingEmptySubsequences: false)
                        let (sender, number) = (try #require(Int(words[0])), try #require(Int(words[1])))
                        #expect(number == next[sender])
                        #expect(words[2].count == number)
                        next[sender] = number + 1
                    }
                }
            }
        }

        @Test(arguments: UInt64(0)..<4) func `a slow reader gets every byte, however the socket splits them`(
            seed: UInt64
        ) async throws {
            var generator = SeededGenerator(seed: seed)
            let source = StreamSource(outboxLimit: 100_000_000)
            try await withServer(respond: source.reply) { server, streams in
                let client = try RawClient.streaming(from: server, receiveBuffer: 2048)
                await eventually { streams.count == 1 }
                let stream = try #require(source.owners.first).stream
                var expected: [UInt8] = []
                for number in 0..<2000 {
                    // Sizes around nothing, the vector's capacity, and the socket's buffer.
                    let size = Int.random(in: 0...(number.isMultiple(of: 100) ? 100_000 : 300), using: &generator)
                    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: number &+ $0) }
                    expected += bytes
                    _ = stream.send(Frame(bytes).whole)
                }
                stream.end(after: Frame(text: "end").whole)
                var received: [UInt8] = []
                while true {
                    let size = Int.random(in: 1...20_000, using: &generator)
                    guard try client.receive(upTo: size) else { break }
                    received += try client.take(client.buffer.count)
                }
                #expect(received == expected + Array("end".utf8))
            }
        }

        @Test func `a full outbox refuses, and tells when there is room`() async throws {
            let source = StreamSource(outboxLimit: 64 * 1024)
            try await withServer(respond: source.reply) { server, streams in
                let client = try RawClient.streaming(from: server, receiveBuffer: 2048)
                await eventually { streams.count == 1 }
                let stream = try #require(source.owners.first).stream
                let frame = Frame([UInt8](repeating: 7, count: 1000))
                var accepted = 0
                // The kernel's buffers fill first, then the outbox.
                var isStuck = false
                while !isStuck {
                    guard case .full = stream.send(frame.whole) else {
                        accepted += 1
                        continue
                    }
                    let queued = stream.queuedBytes
                    #expect(queued <= 64 * 1024)
                    isStuck = queued > 63 * 1024
                    await Task.yield()
                }
                async let drained: Void = stream.drained(room: 1000)
                for _ in 0..<20 {
                    _ = try client.receive()
                    if stream.queuedBytes <= 4 * 1024 { break }
                }
                let reading = Task {
                    // All of it, until the end.
                    try client.takeAll().count
                }
                await drained
                #expect(stream.queuedBytes <= 4 * 1024)
                guard case .queued = stream.send(frame.whole) else {
                    Issue.record("Still full.")
                    return
                }
                accepted += 1
                stream.end()
                #expect(try await reading.value == accepted * 1000)
            }
        }

        @Test func `a wait for room is over when the client is gone`() async throws {
            let source = StreamSource(outboxLimit: 10)
            try await withServer(respond: source.reply) { server, streams in
                let client = try RawClient.streaming(from: server, receiveBuffer: 2048)
                await eventually { streams.count == 1 }
                let stream = try #require(source.owners.first).stream
                _ = stream.send(Frame([UInt8](repeating: 7, count: 20_000_000)).whole)
                async let drained: Void = stream.drained(room: 10)
                client.reset()
                await drained
                #expect(stream.isEnded)
                guard case .ended = stream.send(Frame(text: "late").whole) else {
                    Issue.record("Not ended.")
                    return
                }
                stream.end()
                #expect(stream.queuedBytes == 0)
            }
        }
    }
}
