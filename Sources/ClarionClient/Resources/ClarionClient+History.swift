internal import HTTPTransport

extension ClarionClient {
    /// A page of history.
    public struct Page: Sendable {
        /// Oldest first.
        public let events: [Event]
        /// What the next page begins after; nil if there is nothing more.
        public let next: String?
    }

    /// Reads what was posted.
    ///
    /// - Parameters:
    ///   - patterns: 1 to 100 topics or patterns.
    ///   - start: where to begin.
    ///   - limit: how many events at most, 1 to 1,000. There may be fewer in a page: ``Page/next`` says whether there is
    ///     more.
    ///   - types: only events of these types; none for all. One with a comma cannot be asked for.
    /// - Throws: ``ClientError``.
    public func history(
        of patterns: String...,
        since start: Start = .earliest,
        limit: Int = 100,
        types: [String] = []
    ) async throws(ClientError) -> Page {
        let (lines, next) = try await lines(of: patterns, since: start, limit: limit, types: types, envelope: "json")
        var events: [Event] = []
        for line in lines {
            guard let event = Event(json: line) else { throw unreadable }
            events.append(event)
        }
        return Page(events: events, next: next)
    }

    /// A page of history, an event in each line.
    ///
    /// - Parameter envelope: `json` or `cloudevents`.
    package func lines(
        of patterns: [String],
        since start: Start,
        limit: Int,
        types: [String] = [],
        envelope: String
    ) async throws(ClientError) -> (lines: [[UInt8]], next: String?) {
        var call = Call("GET", "events")
        for pattern in patterns { call.ask("topic", pattern) }
        if case .after(let id) = start { call.ask("after", id) } else { call.begin(start) }
        call.ask("limit", String(limit))
        try call.ask(types: types)
        call.ask("envelope", envelope)
        call.headers = [("Accept", "application/x-ndjson")]
        let (head, body) = try await body(call, atMost: historyBytes)
        // An empty page has nothing else that tells it from what is none.
        guard head.status == 200, head["Content-Type"]?.lowercased().hasPrefix("application/x-ndjson") == true else {
            throw unreadable
        }
        let lines = body.split(separator: UInt8(ascii: "\n")).map { Array($0) }
        return (lines, head["Link"].flatMap(Self.after))
    }

    /// The id in the link to the next page: `<?limit=2&after=…>; rel="next"`. Ids have no characters that are encoded.
    private static func after(_ link: String) -> String? {
        guard let start = link.firstRange(of: "after=") else { return nil }
        let id = link[start.upperBound...].prefix { $0 != "&" && $0 != ">" }
        return id.isEmpty ? nil : String(id)
    }
}
