package import JSON

extension ClarionClient {
    /// A topic that has events or settings.
    public struct Topic: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// How many events are retained.
        public let events: Int
        /// How many bytes of data they have.
        public let bytes: Int
        /// All that the hub says of it, as JSON.
        public let json: [UInt8]

        init?(_ document: JSONValue) {
            guard let name = document["name"]?.text else { return nil }
            self.name = name
            events = document["events"]?.number ?? 0
            bytes = document["bytes"]?.number ?? 0
            json = document.bytes
        }
    }

    /// The topics, in the order of their names' bytes, as far as the token may hear them.
    ///
    /// - Parameter prefix: what their names begin with.
    public func topics(prefix: String? = nil) async throws(ClientError) -> [Topic] {
        try await topicDocuments(prefix: prefix).elements.compactMap { Topic($0) }
    }

    /// Deletes a topic: its events with their deliveries, and its settings.
    public func deleteTopic(_ name: String) async throws(ClientError) {
        try await delete("topics", try Self.present(name))
    }

    package func topicDocuments(prefix: String?) async throws(ClientError) -> Listing {
        try await all("topics") {
            var call = Call("GET", "topics")
            call.ask("prefix", prefix)
            return call
        }
    }

    package func topic(_ name: String) async throws(ClientError) -> JSONValue {
        try await document(Call("GET", "topics", try Self.present(name)), with: "name")
    }

    package func setTopic(_ name: String, _ settings: JSONValue) async throws(ClientError) -> JSONValue {
        var call = Call("PUT", "topics", try Self.present(name))
        call.carry(settings.bytes, as: "application/json")
        return try await document(call, with: "name")
    }
}
