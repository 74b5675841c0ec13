import MicroHTTP
import Testing

extension Live {
    /// Bodies at and beyond the limit, over real sockets.
    @Suite struct BodyLimitTests {
        private static let limit = 1024 * 1024
        private static let measure: @Sendable (Request, OpenStreams) -> Reply = { request, _ in
            .now(Response(.ok, body: Array("\(request.body.count)".utf8)))
        }

        private func expectTooLarge(_ response: RawResponse) {
            #expect(response.status == 413)
            #expect(response["Content-Type"] == "application/problem+json")
            #expect(response.text.contains("\"code\":\"body-too-large\""))
        }

        @Test(arguments: [limit, limit + 1]) func `with a declared length`(size: Int) async throws {
            try await withServer(respond: Self.measure) { server, _ in
                let client = try RawClient(port: server.port)
                let response = try client.exchange("POST", "/", body: [UInt8](repeating: 7, count: size))
                if size > Self.limit {
                    expectTooLarge(response)
                } else {
                    #expect(response.text == "\(size)")
                }
                // The body was read out, so the connection is still good.
                #expect(try client.exchange("POST", "/", body: [1]).text == "1")
            }
        }

        @Test(arguments: [limit, limit + 1]) func `in chunks`(size: Int) async throws {
            try await withServer(respond: Self.measure) { server, _ in
                let client = try RawClient(port: server.port)
                var message = Array("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
                var rest = size
                while rest > 0 {
                    let part = min(rest, 60_001)
                    message += Array((String(part, radix: 16) + "\r\n").utf8) + [UInt8](repeating: 7, count: part)
                    message += Array("\r\n".utf8)
                    rest -= part
                }
                try client.send(bytes: message + Array("0\r\n\r\n".utf8))
                let response = try client.takeResponse()
                if size > Self.limit {
                    expectTooLarge(response)
                } else {
                    #expect(response.text == "\(size)")
                }
                // Libmicrohttpd 0.9.75 reads chunks leniently, so no second request is looked for behind them.
                #expect(response["Connection"] == "close")
                #expect(try client.takeAll().isEmpty)
            }
        }

        @Test func `a client that asks for leave gets it for what fits`() async throws {
            try await withServer(respond: Self.measure) { server, _ in
                let client = try RawClient(port: server.port)
                try client.send(
                    "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: \(Self.limit)\r\n\r\n"
                )
                #expect(try client.takeHead().status == 100)
                try client.send(bytes: [UInt8](repeating: 7, count: Self.limit))
                #expect(try client.takeResponse().text == "\(Self.limit)")
            }
        }

        @Test func `a client that asks for leave is refused before it sends what does not fit`() async throws {
            try await withServer(respond: Self.measure) { server, _ in
                let client = try RawClient(port: server.port)
                try client.send(
                    "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: \(Self.limit + 1)\r\n\r\n"
                )
                expectTooLarge(try client.takeResponse())
                // Whether it sends the body nevertheless cannot be known: the connection is closed.
                #expect(try client.takeAll().isEmpty)
            }
        }
    }
}
