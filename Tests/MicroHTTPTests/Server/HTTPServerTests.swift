import Foundation
import Logging
import MicroHTTP
import Testing

extension Live {
    /// Requests and responses over real sockets.
    @Suite struct HTTPServerTests {
        /// Tells what it was sent.
        static let echo: @Sendable (Request, OpenStreams) -> Reply = { request, _ in
            var json = JSONText()
            json.member("method", request.method.description)
            json.member("path", request.target.segments.joined(separator: "|"))
            json.member(
                "query",
                request.target.query.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
            )
            json.member("body", String(decoding: request.body, as: UTF8.self))
            json.member("agent", request.headers["User-Agent"] ?? "none")
            json.member("from", request.remoteAddress ?? "nobody")
            return .now(Response(.ok, json: json.object()))
        }

        private func members(_ response: RawResponse) throws -> [String: String] {
            try #require(JSONSerialization.jsonObject(with: Data(response.body)) as? [String: String])
        }

        @Test func `a request arrives whole, and its response too`() async throws {
            try await withServer(respond: Self.echo) { server, _ in
                let client = try RawClient(port: server.port)
                let response = try client.exchange(
                    "PUT",
                    "/a%2Fb/c?x=1&y=%26",
                    headers: ["user-agent: t"],
                    body: Array("h\u{E9}llo".utf8)
                )
                #expect(response.statusLine == "HTTP/1.1 200 OK")
                #expect(response["Server"] == "tests")
                #expect(response["Content-Type"] == "application/json")
                #expect(response["Request-Id"]?.isEmpty == false)
                #expect(response["Date"] != nil)
                let echo = try members(response)
                #expect(echo["method"] == "PUT")
                #expect(echo["path"] == "a/b|c")
                #expect(echo["query"] == "x=1|y=&")
                #expect(echo["body"] == "h\u{E9}llo")
                #expect(echo["agent"] == "t")
                #expect(echo["from"]?.hasPrefix("127.0.0.1:") == true)
            }
        }

        @Test(arguments: ["POST", "GET", "PURGE", "M-SEARCH", "get"]) func `any method reaches the handler`(
            method: String
        ) async throws {
            try await withServer(respond: Self.echo) { server, _ in
                let echo = try members(RawClient(port: server.port).exchange(method, "/"))
                #expect(echo["method"] == method)
            }
        }

        @Test func `a connection is kept for the next request, and requests may be pipelined`() async throws {
            try await withServer(respond: Self.echo) { server, _ in
                let client = try RawClient(port: server.port)
                for number in 0..<5 {
                    let echo = try members(client.exchange("GET", "/\(number)"))
                    #expect(echo["path"] == "\(number)")
                }
                let requests = (0..<20).map {
                    "POST /\($0) HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n\(100 + $0)"
                }
                try client.send(requests.joined())
                for number in 0..<20 {
                    let echo = try members(client.takeResponse())
                    #expect(echo["path"] == "\(number)")
                    #expect(echo["body"] == "\(100 + number)")
                }
                #expect(server.connections == 1)
            }
        }

        @Test func `the connection is closed where the client asks for it, and after HTTP/1.0`() async throws {
            try await withServer(respond: Self.echo) { server, _ in
                for request in ["GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"] {
                    let client = try RawClient(port: server.port)
                    try client.send(request)
                    let response = try client.takeResponse()
                    #expect(response.status == 200)
                    #expect(try client.takeAll().isEmpty)
                }
            }
        }

        @Test func `a request may come byte by byte, and its body in chunks`() async throws {
            try await withServer(respond: Self.echo) { server, _ in
                let client = try RawClient(port: server.port)
                let request =
                    "POST /slow HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
                for byte in request.utf8 { try client.send(bytes: [byte]) }
                let echo = try members(client.takeResponse())
                #expect(echo["body"] == "abcde")
            }
        }

        @Test func `HEAD has the length and no body`() async throws {
            try await withServer(respond: Self.echo) { server, _ in
                let client = try RawClient(port: server.port)
                let response = try client.exchange("HEAD", "/")
                #expect(response.status == 200)
                #expect((response["Content-Length"].flatMap { Int($0) } ?? 0) > 0)
                // Nothing is left over in front of the next response.
                #expect(try client.exchange("GET", "/next").status == 200)
            }
        }

        @Test func `a request's identifier is the client's if it is sane`() async throws {
            try await withServer(respond: Self.echo) { server, _ in
                let client = try RawClient(port: server.port)
                #expect(try client.exchange("GET", "/", headers: ["Request-Id: abc/1:2"])["Request-Id"] == "abc/1:2")
                let made = try client.exchange("GET", "/", headers: ["Request-Id: a \"b\""])["Request-Id"]
                #expect(made != nil && made != "a \"b\"")
                let other = try client.exchange("GET", "/")["Request-Id"]
                #expect(other != made)
            }
        }

        @Test(arguments: ["/%", "/%zz", "/a%0", "/%FF", "/a b", "nowhere", "/\u{FF}%"])
        func `a malformed target is a problem`(target: String) async throws {
            try await withServer(respond: Self.echo) { server, _ in
                let response = try RawClient(port: server.port).exchange("GET", target, headers: ["Request-Id: me"])
                #expect(response.status == 400)
                #expect(response["Content-Type"] == "application/problem+json")
                #expect(response.text.contains("\"code\":\"target-invalid\""))
                #expect(response.text.contains("\"instance\":\"urn:clarion:request:me\""))
                #expect(response["Request-Id"] == "me")
            }
        }

        @Test(arguments: [
            ["Content-Length: 0", "Content-Length: 4"], ["Content-Length: 4", "Transfer-Encoding: chunked"],
            ["Transfer-Encoding: gzip, chunked"], ["Transfer-Encoding: identity"],
            ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
        ])
        func `an ambiguous length is refused and the connection closed`(fields: [String]) async throws {
            try await withServer(respond: Self.echo) { server, _ in
                let client = try RawClient(port: server.port)
                let response = try client.exchange("POST", "/", headers: fields)
                #expect(response.status == 400)
                #expect(response.text.contains("\"code\":\"framing-invalid\""))
                #expect(try client.takeAll().isEmpty)
            }
        }

        @Test func `a hundred topics fit a query`() async throws {
            try await withServer(respond: Self.echo) { server, _ in
                let topics = (0..<100).map { "topic=t\($0).123456789012345678" }
                let query = try members(
                    RawClient(port: server.port).exchange("GET", "/events?" + topics.joined(separator: "&"))
                )["query"]
                #expect(query == topics.joined(separator: "|"))
            }
        }

        /// Where not even the problem's own head fits the connection's memory any more, libmicrohttpd closes the
        /// connection: some hundred bytes in eight thousand.
        @Test func `a head that is too large has an answer, mostly a problem`() async throws {
            try await withServer(respond: Self.echo) { server, _ in
                var (problems, silent) = (0, 0)
                for size in stride(from: 1000, to: 9000, by: 100) {
                    for field in ["Cookie: a=", "X-Large: "] {
                        let client = try RawClient(port: server.port)
                        let fields = [field + String(repeating: "x", count: size)]
                        guard let response = try? client.exchange("GET", "/", headers: fields) else {
                            silent += 1
                            continue
                        }
                        #expect([200, 431].contains(response.status), "\(field)\(size)")
                        if response["Content-Type"] == "application/problem+json" {
                            #expect(response.text.contains("\"code\":\"headers-too-large\""))
                            problems += 1
                        }
                    }
                }
                #expect(problems >= 6)
                #expect(silent <= 6)
            }
        }

        @Test(arguments: [
            "\r\n\r\n", "GARBAGE\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n",
        ])
        func `garbage reaches no handler and harms nobody`(garbage: String) async throws {
            try await withServer(adjust: { $0.idleTimeout = 1 }, respond: Self.echo) { server, _ in
                let client = try RawClient(port: server.port)
                try client.send(garbage)
                #expect(!String(decoding: try client.takeAll(), as: UTF8.self).contains(" 200 "))
                #expect(try RawClient(port: server.port).exchange("GET", "/").status == 200)
            }
        }

        @Test func `a response field with a line break in it is left out`() async throws {
            try await withServer(
                respond: { _, _ in
                    .now(Response(.ok, headers: [("X-Bad", "a\r\nX-Injected: b"), ("X-Good", "g")]))
                },
                { server, _ in
                    let response = try RawClient(port: server.port).exchange("GET", "/")
                    #expect(response.headers.allSatisfy { !["X-Bad", "X-Injected"].contains($0.name) })
                    #expect(response["X-Good"] == "g")
                }
            )
        }

        @Test func `a large response arrives whole at a slow reader`() async throws {
            let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
            try await withServer(respond: { _, _ in .now(Response(.ok, body: body)) }) { server, _ in
                let client = try RawClient(port: server.port, receiveBuffer: 4096)
                #expect(try client.exchange("GET", "/").body == body)
            }
        }

        @Test func `an address in use is told as such`() async throws {
            try await withServer(respond: Self.echo) { server, streams in
                let error = #expect(throws: ServerError.self) {
                    _ = try HTTPServer(
                        configuration: .init(port: server.port, serverName: "second"),
                        streams: streams,
                        logger: Logger(label: "second")
                    ) { _ in .now(Response(.ok)) }
                }
                #expect(error?.code == "address-in-use")
            }
        }

        @Test(arguments: ["::1", "localhost"]) func `listens on`(host: String) async throws {
            try await withServer(adjust: { $0.host = host }, respond: Self.echo) { server, _ in
                #expect(server.port != 0)
            }
        }
    }
}
