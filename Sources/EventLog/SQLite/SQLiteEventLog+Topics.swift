extension SQLiteEventLog: TopicStore {
    package func topics(prefix: String, after: String?, limit: Int) async throws(EventLogError) -> [TopicSummary] {
        try await read { reader in try reader.topics(prefix: prefix, after: after, limit: limit) }
    }

    package func summary(of topic: Topic) async throws(EventLogError) -> TopicSummary? {
        try await read { reader in try reader.summary(of: topic) }
    }

    package func catchUp() -> Bool { false }

    @discardableResult
    package func setRetention(
        _ retention: Retention?,
        of topic: Topic,
        expecting isThere: Bool?
    ) async throws(EventLogError) -> TopicSummary? {
        try await setRetention(retention, of: topic, expecting: isThere, expectingBounds: nil)
    }

    /// Gives a topic bounds of its own, if it is there, and has some already, as expected; nil for what does not matter.
    package func setRetention(
        _ retention: Retention?,
        of topic: Topic,
        expecting isThere: Bool? = nil,
        expectingBounds isBounded: Bool?
    ) async throws(EventLogError) -> TopicSummary? {
        try await change { tables in
            let present = try tables.observers.reader.summary(of: topic)
            guard isThere == nil || isThere == (present != nil),
                isBounded == nil || isBounded == (present?.retention != nil)
            else { throw EventLogError.topicChanged }
            // What comes to a copy was admitted by who asked for it.
            if tables.removed == nil, retention?.isUnbounded == false { try tables.topics.admit(topic) }
            if let number = try tables.topics.setRetention(retention, of: topic) {
                tables.schedule.retention.boundsChanged(of: number)
                tables.schedule.mayHaveGoneTopics = true
            }
            return try tables.observers.reader.summary(of: topic)
        }
    }

    package func deleteTopic(_ topic: Topic) async throws(EventLogError) -> Bool {
        try await deleteTopic(topic, through: nil)
    }

    /// Removes the bounds of a topic, and its events up to a position; nil for all it has.
    package func deleteTopic(_ topic: Topic, through position: Position?) async throws(EventLogError) -> Bool {
        try await change { tables in
            try tables.countEvents()
            tables.schedule.hasUnpurgedTopics = true
            return try tables.topics.delete(topic, through: position)
        }
    }
}
