import MicroHTTP
import Testing

extension Live {
    /// Bodies that many responses share.
    @Suite struct ConstantBodyTests {
        private static let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        private static let response = Response(.ok, body: bytes).withConstantBody

        @Test func `every client gets the whole of it, one after the other and beside each other`() async throws {
            try await withServer(respond: { _, _ in .now(Self.response) }) { server, _ in
                let clients = try (0..<4).map { _ in try RawClient(port: server.port) }
                for _ in 0..<3 {
                    for client in clients {
                        #expect(try client.exchange("GET", "/").body == Self.bytes)
                    }
                }
            }
        }

        @Test func `it is read as any other, and can be replaced`() {
            var response = Self.response
            #expect(response.body == Self.bytes)
            response.body = [1]
            #expect(response.body == [1])
            #expect(Self.response.body == Self.bytes)
        }

        @Test func `an empty one is sent, too`() async throws {
            let empty = Response(.ok, headers: [], constant: ConstantBody([]))
            try await withServer(respond: { _, _ in .now(empty) }) { server, _ in
                let client = try RawClient(port: server.port)
                #expect(try client.exchange("GET", "/").body.isEmpty)
                #expect(try client.exchange("GET", "/").status == 200)
            }
        }
    }
}
