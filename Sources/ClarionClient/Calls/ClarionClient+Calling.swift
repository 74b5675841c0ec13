internal import HTTPTransport
internal import JSON

extension ClarionClient {
    /// How much of a page of history is read: it costs 4 MiB at most, and its last event may be one that is as large as events
    /// get.
    var historyBytes: Int { min(configuration.maximumEventBytes, 1 << 40) + (16 << 20) }

    /// How much of a list is read. Of observers a page has some 4 MiB, of deliveries 1,000 of 3 KiB, and a batch 10,000
    /// receipts of 600 bytes at most; escapes may make six bytes of one.
    static let listBytes = 64 << 20

    /// How much of any other answer is read. The largest is a webhook with 100 topics and 100 types, or a delivery with what
    /// its attempts were answered: well below 1 MiB each.
    static let documentBytes = 16 << 20

    /// What the hub answers.
    func body(_ call: Call, atMost limit: Int = Self.documentBytes) async throws(ClientError) -> (
        head: HTTPHead, body: [UInt8]
    ) {
        let response = try await send(call)
        do throws(HTTPFailure) {
            return (response.head, try await response.body(atMost: limit))
        } catch {
            throw ClientError(error, hub: url)
        }
    }

    /// The JSON that the hub answers.
    ///
    /// - Parameter member: what it has if a hub has answered: others answer with success, too.
    func document(
        _ call: Call,
        with member: String,
        atMost limit: Int = Self.documentBytes
    ) async throws(ClientError) -> JSONValue {
        let (_, body) = try await body(call, atMost: limit)
        guard let document = JSONValue(parsing: body), document[member] != nil else { throw unreadable }
        return document
    }

    /// Has something deleted.
    func delete(_ segments: String...) async throws(ClientError) {
        let (head, _) = try await body(Call("DELETE", segments))
        guard head.status == 204 else { throw unreadable }
    }

    /// One page leads to the next, and none to the end.
    package var endless: ClientError {
        ClientError(
            code: ClientError.answerUnreadable,
            detail: "What \(url.text) answers has no end: its pages lead back to one that was read, or to nothing."
        )
    }

    /// What was answered is not what a hub answers.
    var unreadable: ClientError {
        ClientError(code: ClientError.answerUnreadable, detail: "What answers at \(url.text) is no hub.")
    }
}
