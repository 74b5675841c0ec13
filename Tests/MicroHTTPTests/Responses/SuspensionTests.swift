import Locking
import Dispatch
import Glibc
import MicroHTTP
import Synchronization
import Testing

extension Live {
    /// Requests that are answered later, from another thread.
    @Suite struct SuspensionTests {
        /// Holds responders until it is told to use them.
        private final class Waiting: Sendable {
            private let responders = Lock<[(Responder, String)]>([])

            var count: Int { responders.withLock { $0.count } }

            func add(_ responder: Responder, _ text: String) { responders.withLock { $0.append((responder, text)) } }

            func takeAll() -> [(Responder, String)] {
                responders.withLock { waiting in
                    defer { waiting = [] }
                    return waiting
                }
            }
        }

        @Test func `thousands of requests on many connections each get their own answer`() async throws {
            let waiting = Waiting()
            let isOver = Atomic<Bool>(false)
            // Answers all that wait, in one go, as a thread that commits in batches does.
            let answering = DispatchGroup()
            DispatchQueue.global().async(group: answering) {
                while !isOver.load(ordering: .relaxed) {
                    let batch = waiting.takeAll()
                    if batch.isEmpty { sched_yield() }
                    for (responder, text) in batch { responder.respond(Response(.ok, body: Array(text.utf8))) }
                }
            }
            defer {
                isOver.store(true, ordering: .relaxed)
                answering.wait()
            }
            try await withServer(
                respond: { request, _ in
                    let text = String(decoding: request.body, as: UTF8.self)
                    return .later { waiting.add($0, text) }
                },
                { server, _ in
                    await Threads.run(16) { connection in
                        #expect(throws: Never.self) {
                            let client = try RawClient(port: server.port)
                            for number in 0..<200 {
                                let text = "\(connection)/\(number)"
                                #expect(try client.exchange("POST", "/", body: Array(text.utf8)).text == text)
                            }
                        }
                    }
                }
            )
        }

        @Test func `pipelined requests that wait are answered in order`() async throws {
            let waiting = Waiting()
            try await withServer(respond: { request, _ in .later { waiting.add($0, request.target.segments[0]) } }) {
                server,
                _ in
                let client = try RawClient(port: server.port)
                try client.send((0..<10).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
                for number in 0..<10 {
                    await eventually { waiting.count == 1 }
                    for (responder, text) in waiting.takeAll() {
                        responder.respond(Response(.ok, body: Array(text.utf8)))
                    }
                    #expect(try client.takeResponse().text == "\(number)")
                }
            }
        }

        @Test func `an answer within the handler is fine too`() async throws {
            try await withServer(respond: { _, _ in .later { $0.respond(Response(.created)) } }) { server, _ in
                let client = try RawClient(port: server.port)
                for _ in 0..<100 { #expect(try client.exchange("POST", "/").status == 201) }
            }
        }

        @Test func `only the first answer counts`() async throws {
            try await withServer(
                respond: { _, _ in
                    .later { responder in
                        responder.respond(Response(.created))
                        responder.respond(Response(.notFound))
                        responder.respond(Problem(.badRequest, code: "late", detail: "Too late."))
                    }
                },
                { server, _ in
                    let client = try RawClient(port: server.port)
                    #expect(try client.exchange("POST", "/").status == 201)
                    #expect(try client.exchange("POST", "/").status == 201)
                }
            )
        }

        @Test func `a responder that is let go answers by itself`() async throws {
            try await withServer(respond: { _, _ in .later { _ in } }) { server, _ in
                let response = try RawClient(port: server.port).exchange("POST", "/", headers: ["Request-Id: me"])
                #expect(response.status == 500)
                #expect(response.text.contains("\"code\":\"internal\""))
                #expect(response["Request-Id"] == "me")
            }
        }

        @Test func `a client that leaves while it waits harms nobody`() async throws {
            let waiting = Waiting()
            try await withServer(respond: { _, _ in .later { waiting.add($0, "") } }) { server, _ in
                for number in 0..<50 {
                    let client = try RawClient(port: server.port)
                    try client.send("POST / HTTP/1.1\r\nHost: h\r\n\r\n")
                    await eventually { waiting.count == number + 1 }
                    if number.isMultiple(of: 2) { client.reset() } else { client.close() }
                }
                for (responder, _) in waiting.takeAll() { responder.respond(Response(.ok)) }
                await eventually { server.connections == 0 }
            }
        }
    }
}
