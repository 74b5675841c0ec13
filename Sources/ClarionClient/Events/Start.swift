extension ClarionClient {
    /// Where in the log to begin.
    public enum Start: Hashable, Sendable {
        /// With what comes next.
        case latest
        /// With the oldest event that is retained.
        case earliest
        /// With the newest event: the topic as an observable value.
        case last
        /// With the newest events, so many of them: 1 to 1,000.
        case newest(Int)
        /// After an event, by its id. An empty one is none: a stream begins with what comes next.
        case after(String)
        /// As `since=` of the hub has it: a time such as `2026-11-20T23:19:00Z`, or a duration such as `10m`.
        case since(String)
    }
}

extension Call {
    /// Says where to begin.
    mutating func begin(_ start: ClarionClient.Start) {
        switch start {
        case .latest: ask("since", "latest")
        case .earliest: ask("since", "earliest")
        case .last: ask("since", "last")
        case .newest(let count): ask("last", String(count))
        case .after(let id): ask("last-event-id", id)
        case .since(let text): ask("since", text)
        }
    }
}
