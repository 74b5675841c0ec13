package import JSON

extension ClarionClient {
    /// Who listens: a stream, a webhook, or an object in the hub's process.
    public struct Observer: Hashable, Sendable {
        /// The observer's id.
        public let id: String
        /// `stream`, `webhook` or `object`.
        public let kind: String
        /// The topics and patterns that it hears.
        public let topics: [String]
        /// `active`, `paused` or `disabled`.
        public let state: String
        /// Where a webhook's events go.
        public let url: String?
        /// All that the hub says of it, as JSON.
        public let json: [UInt8]

        init?(_ document: JSONValue) {
            guard let id = document["id"]?.text, let kind = document["kind"]?.text else { return nil }
            self.id = id
            self.kind = kind
            topics = document["topics"]?.elements?.compactMap(\.text) ?? []
            state = document["state"]?.text ?? ""
            url = document["url"]?.text
            json = document.bytes
        }
    }

    /// Everyone who listens, as far as the token may see them.
    ///
    /// - Parameters:
    ///   - topic: only those of exactly this topic or pattern.
    ///   - kind: only `stream`, `webhook` or `object`.
    public func observers(topic: String? = nil, kind: String? = nil) async throws(ClientError) -> [Observer] {
        try await observerDocuments(topic: topic, kind: kind).elements.compactMap { Observer($0) }
    }

    /// Registers a webhook: see the hub's `POST /observers`.
    ///
    /// - Parameters:
    ///   - url: where its events go.
    ///   - topics: the topics and patterns that it hears.
    ///   - id: an id of your own, under which it is made or replaced; nil for one that the hub makes.
    /// - Returns: the webhook and, if it was made, the secret that signs its deliveries, which is not shown again.
    public func registerWebhook(
        _ url: String,
        for topics: [String],
        id: String? = nil
    ) async throws(ClientError) -> (observer: Observer, secret: String?) {
        let members: [String: JSONValue] = ["url": .string(url), "topics": .array(topics.map { .string($0) })]
        let document = try await register(.object(members), id: id)
        guard let observer = Observer(document) else { throw unreadable }
        return (observer, document["secret"]?.text)
    }

    /// Unregisters an observer. A stream ends.
    public func unregister(_ id: String) async throws(ClientError) {
        try await delete("observers", try Self.present(id))
    }

    package func observerDocuments(topic: String?, kind: String?) async throws(ClientError) -> Listing {
        try await all("observers") {
            var call = Call("GET", "observers")
            call.ask("topic", topic)
            call.ask("kind", kind)
            return call
        }
    }

    package func observer(_ id: String) async throws(ClientError) -> JSONValue {
        try await document(Call("GET", "observers", try Self.present(id)), with: "id")
    }

    package func register(_ members: JSONValue, id: String?) async throws(ClientError) -> JSONValue {
        var call = id.map { Call("PUT", "observers", $0) } ?? Call("POST", "observers")
        call.carry(members.bytes, as: "application/json")
        return try await document(call, with: "id")
    }

    /// `test`, `recover`, `replay` or `secret/rotate`.
    ///
    /// - Parameter member: one that the answer has.
    package func act(
        _ action: String...,
        on id: String,
        _ members: [String: JSONValue] = [:],
        for member: String
    ) async throws(ClientError) -> JSONValue {
        var call = Call("POST", ["observers", try Self.present(id)] + action)
        if !members.isEmpty {
            call.carry(JSONValue.object(members).bytes, as: "application/json")
        } else {
            call.body = []
        }
        return try await document(call, with: member)
    }

    /// The deliveries of a webhook, those of the newest events first.
    ///
    /// - Parameters:
    ///   - state: `pending`, `delivered` or `dead`; nil for all.
    ///   - limit: how many at most; nil for all there are.
    package func deliveries(of id: String, state: String?, limit: Int?) async throws(ClientError) -> Listing {
        let id = try Self.present(id)
        return try await all("deliveries", atMost: limit) {
            var call = Call("GET", "observers", id, "deliveries")
            call.ask("state", state)
            return call
        }
    }

    package func delivery(of event: String, to id: String) async throws(ClientError) -> JSONValue {
        let call = Call("GET", "observers", try Self.present(id), "deliveries", try Self.present(event))
        return try await document(call, with: "event")
    }

    /// Every element of a list, page by page.
    func all(_ name: String, atMost limit: Int? = nil, _ call: () -> Call) async throws(ClientError) -> Listing {
        var found = Listing()
        var cursor: String?
        var progress = PageProgress()
        repeat {
            var call = call()
            call.ask("limit", String(min(limit.map { $0 - found.elements.count } ?? 1000, 1000)))
            call.ask("cursor", cursor)
            let page = try await document(call, with: name, atMost: Self.listBytes)
            let before = found.elements.count
            guard found.add(page, name) else { throw unreadable }
            cursor = page["next"]?.text
            guard progress.goesOn(to: cursor, isEmpty: found.elements.count == before) else { throw endless }
        } while cursor != nil && found.elements.count < limit ?? .max
        return found
    }

    /// A segment of a path, which would be another path without it.
    static func present(_ name: String) throws(ClientError) -> String {
        guard !name.isEmpty else {
            throw ClientError(code: ClientError.argumentInvalid, detail: "A name has at least one character.")
        }
        return name
    }
}
