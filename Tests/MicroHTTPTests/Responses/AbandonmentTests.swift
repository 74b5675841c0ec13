import Glibc
import Locking
import MicroHTTP
import Testing

extension Live {
    /// Who works for a client knows when it is gone.
    @Suite struct AbandonmentTests {
        private final class Waiting: Sendable {
            private let responder = Lock<Responder?>(nil)

            var isThere: Bool { responder.withLock { $0 != nil } }
            var isAbandoned: Bool { responder.withLock { $0 }?.isAbandoned ?? false }

            func hold(_ responder: Responder) { self.responder.withLock { $0 = responder } }

            func answer() {
                let held = responder.withLock { $0.take() }
                held?.respond(Response(.ok, body: Array("answer".utf8)))
            }
        }

        private func withRequest(
            _ version: String = "HTTP/1.1",
            _ body: (RawClient, Waiting) async throws -> Void
        ) async throws {
            let waiting = Waiting()
            try await withServer(respond: { _, _ in .later { waiting.hold($0) } }) { server, _ in
                let client = try RawClient(port: server.port)
                try client.send("GET / \(version)\r\nHost: h\r\n\r\n")
                await eventually { waiting.isThere }
                try await body(client, waiting)
                waiting.answer()
            }
        }

        @Test func `a client that waits has not gone`() async throws {
            try await withRequest { client, waiting in
                for _ in 0..<10 { #expect(!waiting.isAbandoned) }
                waiting.answer()
                let received = try client.take(through: "answer")
                #expect(received.hasPrefix("HTTP/1.1 200"))
            }
        }

        @Test func `a client that has reset its connection is gone`() async throws {
            try await withRequest { client, waiting in
                client.reset()
                await eventually { waiting.isAbandoned }
            }
        }

        @Test func `a client that has closed its connection is gone once it was sent something`() async throws {
            try await withRequest { client, waiting in
                client.close()
                await eventually { waiting.isAbandoned }
            }
        }

        @Test func `a client that has closed its half still waits, and is told once that it is being worked for`()
            async throws
        {
            try await withRequest { client, waiting in
                client.finishSending()
                let interim = "HTTP/1.1 100 Continue\r\n\r\n"
                // Until the end of its half has arrived.
                let quick = ContinuousClock.now + .milliseconds(200)
                while ContinuousClock.now < quick { #expect(!waiting.isAbandoned) }
                for _ in 0..<100 { #expect(!waiting.isAbandoned) }
                let received = try client.take(through: "\r\n\r\n")
                #expect(received == interim)
            }
        }

        /// Requests of one turn: the second is begun before its connection is suspended, and its client goes at that moment.
        private final class Turn: Sendable {
            struct State {
                var isReached = false
                var isOver = false
                var begun: [Responder] = []
            }

            let state = Lock(State())

            /// Keeps the loop from its next turn.
            func hold() {
                state.withLock { $0.isReached = true }
                while !state.withLock({ $0.isOver }) { sched_yield() }
            }

            func begin(_ responder: Responder, from client: RawClient?) {
                let count = state.withLock { state in
                    state.begun.append(responder)
                    return state.begun.count
                }
                if count == 2 { client?.reset() }
            }

            var begun: [Responder] { state.withLock { $0.begun } }
        }

        @Test func `a client that goes before its connection is suspended is gone, whoever has its descriptor next`()
            async throws
        {
            // As a rule the requests are of one turn.
            var tries = 0
            while try await !isSeenInOneTurn() {
                tries += 1
                try #require(tries < 20, "the requests were never of one turn")
            }
        }

        /// - Returns: false if the connections were suspended before the client went, so that nothing is seen.
        private func isSeenInOneTurn() async throws -> Bool {
            let turn = Turn()
            let clients = Lock<[String: RawClient]>([:])
            let isSeen = Lock(false)
            try await withServer(
                adjust: { $0.threads = 1 },
                respond: { request, _ in
                    let name = request.target.segments[0]
                    guard name != "hold" else {
                        turn.hold()
                        return .now(Response(.ok))
                    }
                    return .later { turn.begin($0, from: clients.withLock { $0[name] }) }
                },
                { server, _ in
                    let holder = try RawClient(port: server.port)
                    for name in ["a", "b"] {
                        let client = try RawClient(port: server.port)
                        clients.withLock { $0[name] = client }
                    }
                    await eventually { server.connections == 3 }
                    try holder.send("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n")
                    await eventually { turn.state.withLock { $0.isReached } }
                    for (name, client) in clients.withLock({ $0 }) {
                        try client.send("GET /\(name) HTTP/1.1\r\nHost: h\r\n\r\n")
                    }
                    turn.state.withLock { $0.isOver = true }
                    await eventually { turn.begun.count == 2 }
                    let deadline = ContinuousClock.now + .seconds(2)
                    while server.connections != 2, ContinuousClock.now < deadline { await Task.yield() }
                    guard server.connections == 2 else {
                        for responder in turn.begun { responder.respond(Response(.ok)) }
                        turn.state.withLock { $0.begun = [] }
                        return
                    }
                    isSeen.withLock { $0 = true }
                    let gone = turn.begun[1]
                    let stranger = try RawClient(port: server.port)
                    try stranger.send("GET /stranger HTTP/1.1\r\nHost: h\r\n\r\n")
                    await eventually { turn.begun.count == 3 }
                    #expect(gone.isAbandoned)
                    stranger.finishSending()
                    // Until the end of its half has arrived.
                    let quick = ContinuousClock.now + .milliseconds(200)
                    while ContinuousClock.now < quick { #expect(gone.isAbandoned) }
                    for responder in turn.begun { responder.respond(Response(.ok, body: Array("answer".utf8))) }
                    let received = try stranger.take(through: "answer")
                    #expect(received.hasPrefix("HTTP/1.1 200"))
                    turn.state.withLock { $0.begun = [] }
                }
            )
            return isSeen.withLock { $0 }
        }

        @Test func `of HTTP/1.0, which has no interim responses, a closed half is enough`() async throws {
            try await withRequest("HTTP/1.0") { client, waiting in
                #expect(!waiting.isAbandoned)
                client.finishSending()
                await eventually { waiting.isAbandoned }
            }
        }
    }
}
