import Notation

extension LogReader {
    private static let topicColumns = """
        id, name, events, bytes, last, retain_events, retain_age, retain_bytes, (
            SELECT seq FROM event INDEXED BY event_topic
            WHERE event.topic = topic.id AND event.seq > topic.removed ORDER BY event.seq LIMIT 1
        )
        """
    /// Of a topic that has events, which may not be counted yet, or bounds.
    static let isThere = """
        (\(LogSchema.isThere) OR EXISTS (
            SELECT 1 FROM event INDEXED BY event_topic
            WHERE event.topic = topic.id AND event.seq > max(topic.removed, (SELECT counted FROM log))
        ))
        """

    /// Topics in the order of their names' bytes.
    func topics(prefix: String, after: String?, limit: Int) throws -> [TopicSummary] {
        // One bound on each side, so that SQLite walks the index of names from the one to the other.
        let isAfter = after.map { $0.utf8.lexicographicallyPrecedes(prefix.utf8) } == false
        let rows = try db.cached(Self.topicList(isAfter: isAfter))
        // No name has the byte FF: UTF-8 has none, and it comes after all others.
        return try rows.bind(isAfter ? after : prefix, max(limit, 1), Array(prefix.utf8) + [0xFF]).map(topicSummary)
    }

    static func topicList(isAfter: Bool) -> String {
        """
        SELECT \(topicColumns) FROM topic
        WHERE name \(isAfter ? ">" : ">=") ?1 AND name < CAST(?3 AS TEXT) AND \(isThere)
        ORDER BY name LIMIT ?2
        """
    }

    func summary(of topic: Topic) throws -> TopicSummary? {
        try db.cached("SELECT \(Self.topicColumns) FROM topic WHERE name = ?1 AND \(Self.isThere)", topic)
            .first(topicSummary)
    }

    private func topicSummary(_ row: PreparedStatement) throws -> TopicSummary {
        let own = Retention(stored: row[5], age: row[6], bytes: row[7])
        let first: Int64? = row[8]
        let more = try uncounted(of: row[0])
        return TopicSummary(
            topic: row[1],
            events: row.integer(2).addingClamped(more.events),
            bytes: row.integer(3).addingClamped(more.bytes),
            first: first.map(id),
            last: first.map { _ in id(max(row[4], more.last)) },
            retention: own.isUnbounded ? nil : own
        )
    }

    /// What the topic's counters do not show yet: of the last few thousand events at the most.
    private func uncounted(of topic: Int64) throws -> TopicAddition {
        try db.cached(
            """
            SELECT count(*), ifnull(sum(length(data)), 0), ifnull(max(seq), 0) FROM event INDEXED BY event_topic
            WHERE topic = ?1 AND seq > (SELECT counted FROM log)
            """
        ).bind(topic).first { TopicAddition(events: $0[0], bytes: $0[1], last: $0[2]) } ?? TopicAddition()
    }

    private func id(_ position: Int64) -> EventID { EventID(epoch: epoch, position: Position(position)) }
}
