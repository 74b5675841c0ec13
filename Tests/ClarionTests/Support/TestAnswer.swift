import EventLog
import MicroHTTP
import Webhooks
import JSON
import Testing

@testable import Clarion

/// The answer to one request, on a connection of its own.
struct TestAnswer {
    let status: Int
    let body: String

    static func to(
        _ method: String,
        _ path: String,
        of hub: Hub,
        body: String = "",
        contentType: String = "application/x-www-form-urlencoded"
    ) async throws -> TestAnswer {
        let client = try TestClient(port: hub.port)
        defer { client.close() }
        client.send(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: \(contentType)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        let text = try await client.receivedToTheEnd()
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let status = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return TestAnswer(status: status, body: parts.count == 2 ? String(parts[1]) : "")
    }

    /// The body as JSON.
    var json: JSONValue { JSONValue(parsing: Array(body.utf8)) ?? .null }
}
