import FoundationEssentials
import Locking
import Testing

@testable import ClarionClient

@Suite("Posts of a client", .timeLimit(.minutes(1)))
struct PostingTests {
    /// A topic that is bound to a notification refuses any other way.
    @Test("a value is written as the hub writes and reads it")
    func values() async throws {
        struct Info: Encodable {
            let link = "a/b"
            let at: Date
        }
        let expected = #"{"at":"2001-01-01T00:00:00.250Z","link":"a/b"}"#
        let body = Lock("")
        let server = try #require(
            RawServer { connection, _ in
                body.withLock { $0 = connection.receive(expected.utf8.count) }
                let answer = #"{"id":"e-1","time":"t"}"#
                connection.send(
                    "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"
                        + "Content-Length: \(answer.utf8.count)\r\n\r\n\(answer)"
                )
            }
        )
        let client = try ClarionClient("127.0.0.1:\(server.port)")
        try await client.post(json: Info(at: Date(timeIntervalSinceReferenceDate: 0.25)), to: "a")
        #expect(body.withLock { $0 } == expected)
        #expect(server.requests.first?.contains("Content-Length: \(expected.utf8.count)\r\n") == true)
    }

    @Test("documents that are no CloudEvent each are not sent", arguments: ["", "{},{}", "{} ]"])
    func noDocument(text: String) async throws {
        let server = try #require(RawServer { _, _ in })
        let client = try ClarionClient("127.0.0.1:\(server.port)")
        let error = await #expect(throws: ClientError.self) {
            try await client.post(cloudEvents: [Array("{}".utf8), Array(text.utf8)], to: "a")
        }
        #expect(error?.code == "argument-invalid" && error?.pointer == "/1")
        #expect(server.requests.isEmpty)
    }
}
