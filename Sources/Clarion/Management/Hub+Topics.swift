public import EventLog

/// Topics, managed by the program.
extension Hub {
    /// The topics that have events or settings, in the order of their names.
    ///
    /// - Parameters:
    ///   - prefix: what their names begin with.
    ///   - last: the name after which to go on; nil begins with the first.
    ///   - limit: the most, from 1 to 1,000.
    /// - Throws: ``HubError`` with the log's code if it cannot be read.
    public func topics(prefix: String = "", after last: String? = nil, limit: Int = 100) async throws(HubError)
        -> [TopicSummary]
    {
        try await HubError.passingOn {
            try await log.topics(prefix: prefix, after: last, limit: min(max(limit, 1), 1_000))
        }
    }

    /// Sets how much history a topic keeps, in place of the hub's bounds; the topic need not have events.
    ///
    /// - Parameters:
    ///   - retention: its own bounds, within `Retention.eventBounds`, `ageBounds` and `byteBounds`; nil for the hub's.
    ///   - topic: the name of the topic.
    /// - Throws: ``HubError`` with code `topic-invalid`, with `member-invalid` for a bound that is out of range, or with the
    ///   log's code if it cannot be stored.
    public func setRetention(_ retention: Retention?, of topic: String) async throws(HubError) {
        try await HubError.passingOn {
            let topic = try Topic(topic)
            try retention?.check()
            _ = try await log.setRetention(retention, of: topic)
        }
    }

    /// Deletes a topic's events and settings, and ends the streams that hear it alone.
    ///
    /// - Returns: whether there was anything.
    /// - Throws: ``HubError`` with code `topic-invalid` or `topic-reserved`, or with the log's code if it cannot be stored.
    @discardableResult
    public func deleteTopic(_ topic: String) async throws(HubError) -> Bool {
        try await HubError.passingOn {
            let topic = try Topic(topic)
            try HubError.requireFree(topic)
            return try await topicDeletion.delete(topic)
        }
    }
}
