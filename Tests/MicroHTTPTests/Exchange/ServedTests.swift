import Locking
import Logging
import Testing

@testable import MicroHTTP

/// Whoever counts answers is told of each, once.
@Suite struct ServedTests {
    private struct Told: Equatable {
        var method: String?
        var pattern: Int?
        var status: Int
        var problem: String?
    }

    /// Sends something on a connection of its own, and says what was told until it was answered or closed.
    private func told(_ bytes: String) async throws -> [Told] {
        let served = Lock<[ServedRequest]>([])
        var router = Router()
        let everybody: Router.Admission = { request, handler throws(Problem) in try handler(request) }
        router.on(.get, "/now", parameters: [], admission: everybody) { _ in .now(Response(.ok)) }
        router.on(.post, "/later/{name}", parameters: [], admission: everybody) { _ in
            .later { responder in responder.respond(Response(.created)) }
        }
        router.on(.get, "/large", parameters: [], admission: everybody) { _ in
            .now(Response(.ok, headers: [("X-Large", String(repeating: "x", count: 8_000))]))
        }
        router.require { request throws(Problem) in
            if request.headers.contains("X-Refused") { throw Problem(.misdirected, code: "refused", detail: "") }
        }
        let streams = OpenStreams(keepAlive: .init(interval: .seconds(15), frame: Frame(": alive\n\n".utf8)))
        router.on(.get, "/stream", parameters: [], admission: everybody) { _ in
            let stream = DetachedStream(streams: streams, outboxLimit: 1_000)
            stream.end()
            return .stream(Response(.ok), stream, owner: stream)
        }
        var configuration = ServerConfiguration(port: 0, serverName: "tests")
        configuration.maximumBodyBytes = 100
        var logger = Logger(label: "tests")
        logger.logLevel = .critical
        let routes = router
        let server = try HTTPServer(
            configuration: configuration,
            streams: streams,
            logger: logger,
            served: { request in served.withLock { $0.append(request) } },
            respond: { routes.respond(to: $0) }
        )
        let client = try RawClient(port: server.port)
        try client.send(bytes)
        while (try? client.receive()) == true {}
        client.close()
        // Not cut short: 0.9.75 may still be refusing.
        await server.stop()
        return served.withLock { $0 }.map {
            Told(method: $0.method?.description, pattern: $0.pattern, status: $0.status.code, problem: $0.problem)
        }
    }

    private func request(_ line: String, _ fields: String = "", body: String = "") -> String {
        "\(line) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(fields)\r\n\(body)"
    }

    @Test func `answers of routes`() async throws {
        #expect(try await told(request("GET /now")) == [Told(method: "GET", pattern: 0, status: 200)])
        #expect(try await told(request("HEAD /now")) == [Told(method: "HEAD", pattern: 0, status: 200)])
        #expect(try await told(request("POST /later/x")) == [Told(method: "POST", pattern: 1, status: 201)])
        #expect(try await told(request("GET /stream")) == [Told(method: "GET", pattern: 3, status: 200)])
        #expect(try await told(request("HEAD /stream")) == [Told(method: "HEAD", pattern: 3, status: 200)])
    }

    @Test func `what is refused, wherever that is`() async throws {
        #expect(
            try await told(request("GET /later/x"))
                == [Told(method: "GET", pattern: 1, status: 405, problem: "method-not-allowed")]
        )
        #expect(
            try await told(request("GET /now", "X-Refused: 1\r\n"))
                == [Told(method: "GET", pattern: 0, status: 421, problem: "refused")]
        )
        #expect(
            try await told(request("WHAT /elsewhere"))
                == [Told(method: "WHAT", status: 404, problem: "route-unknown")]
        )
        #expect(
            try await told(request("GET /%ff")) == [Told(method: "GET", status: 400, problem: "target-invalid")]
        )
        #expect(
            try await told(request("GET  /now")) == [Told(method: "GET", status: 400, problem: "request-malformed")]
        )
        #expect(
            try await told(
                request("POST /later/x", "Content-Length: 1000\r\n", body: String(repeating: "x", count: 1_000))
            )
                == [Told(method: "POST", status: 413, problem: "body-too-large")]
        )
        #expect(
            try await told(request("POST /later/x", "Transfer-Encoding: chunked\r\n", body: "1\na\r\n0\r\n\r\n"))
                == [Told(method: "POST", status: 400, problem: "framing-invalid")]
        )
        #expect(
            try await told(request("GET /large"))
                == [Told(method: "GET", pattern: 2, status: 431, problem: "headers-too-large")]
        )
        #expect(
            try await told(request("GET /now", "X: \(String(repeating: "x", count: 20_000))\r\n"))
                == [Told(status: 431, problem: "headers-too-large")]
        )
        #expect(
            try await told(request("POST /later/x", "Content-Length: x\r\n"))
                == [Told(status: 400, problem: "framing-invalid")]
        )
    }

    @Test func `each of several on one connection`() async throws {
        let first = "GET /now HTTP/1.1\r\nHost: x\r\n\r\n"
        #expect(
            try await told(first + first + request("GET /elsewhere")) == [
                Told(method: "GET", pattern: 0, status: 200), Told(method: "GET", pattern: 0, status: 200),
                Told(method: "GET", status: 404, problem: "route-unknown"),
            ]
        )
    }
}
