internal import HTTPTransport
internal import JSON

extension ClarionClient {
    /// How much of an answer that is no stream is read: a page of history costs 4 MiB at most, and its last event may be
    /// one that is as large as events get.
    private var answerBytes: Int { min(configuration.maximumEventBytes, 1 << 40) + (16 << 20) }

    /// What the hub answers.
    func body(_ call: Call) async throws(ClientError) -> (head: HTTPHead, body: [UInt8]) {
        let response = try await send(call)
        do throws(HTTPFailure) {
            return (response.head, try await response.body(atMost: answerBytes))
        } catch {
            throw ClientError(error, hub: url)
        }
    }

    /// The JSON that the hub answers.
    ///
    /// - Parameter member: what it has if a hub has answered: others answer with success, too.
    func document(_ call: Call, with member: String) async throws(ClientError) -> JSONValue {
        let (_, body) = try await body(call)
        guard let document = JSONValue(parsing: body), document[member] != nil else { throw unreadable }
        return document
    }

    /// Has something deleted.
    func delete(_ segments: String...) async throws(ClientError) {
        let (head, _) = try await body(Call("DELETE", segments))
        guard head.status == 204 else { throw unreadable }
    }

    /// What was answered is not what a hub answers.
    var unreadable: ClientError {
        ClientError(code: ClientError.answerUnreadable, detail: "What answers at \(url.text) is no hub.")
    }
}
