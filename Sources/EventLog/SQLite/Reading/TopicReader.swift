internal import GRDB

/// Reads what topics hold from one snapshot of the database.
struct TopicReader {
    let db: Database
    let epoch: LogEpoch

    private static let columns = """
        id, name, events, bytes, last, retain_events, retain_age, retain_bytes, (
            SELECT seq FROM event INDEXED BY event_topic
            WHERE event.topic = topic.id AND event.seq > topic.removed ORDER BY event.seq LIMIT 1
        )
        """
    private static let isThere = """
        (events > 0 OR coalesce(retain_events, retain_age, retain_bytes) IS NOT NULL OR EXISTS (
            SELECT 1 FROM event INDEXED BY event_topic
            WHERE event.topic = topic.id AND event.seq > max(topic.removed, (SELECT counted FROM log))
        ))
        """

    /// Topics in the order of their names' bytes.
    func topics(prefix: String, after: String?, limit: Int) throws -> [TopicSummary] {
        // One bound on each side, so that SQLite walks the index of names from the one to the other.
        let isAfter = after.map { $0.utf8.lexicographicallyPrecedes(prefix.utf8) } == false
        let end = prefix.endOfPrefix
        let statement = try PreparedStatement(cachedIn: db, Self.list(isAfter: isAfter, hasEnd: end != nil))
        statement.bind(isAfter ? after : prefix, at: 1)
        statement.bind(Int64(max(limit, 1)), at: 2)
        if let end { statement.bind(end, at: 3) }
        var topics: [TopicSummary] = []
        try statement.forEach { topics.append(try summary($0)) }
        return topics
    }

    static func list(isAfter: Bool, hasEnd: Bool) -> String {
        """
        SELECT \(columns) FROM topic
        WHERE name \(isAfter ? ">" : ">=") ?1 \(hasEnd ? "AND name < ?3" : "") AND \(isThere)
        ORDER BY name LIMIT ?2
        """
    }

    /// One topic.
    func summary(of topic: Topic) throws -> TopicSummary? {
        let statement = try PreparedStatement(
            cachedIn: db,
            "SELECT \(Self.columns) FROM topic WHERE name = ?1 AND \(Self.isThere)"
        )
        statement.bind(topic.name, at: 1)
        return try statement.first(summary)
    }

    private func summary(_ row: PreparedStatement) throws -> TopicSummary {
        let own = Retention(
            events: row.optionalInteger(5),
            age: row.optionalInteger(6),
            bytes: row.optionalInteger(7)
        )
        let first = row.optionalInteger(8)
        let more = try uncounted(of: row.integer(0))
        return TopicSummary(
            topic: Topic(stored: row.text(1)),
            events: row.integer(2) + more.events,
            bytes: row.integer(3) + more.bytes,
            first: first.map(id),
            last: first.map { _ in id(max(row.integer(4), more.last)) },
            retention: own.isUnbounded ? nil : own
        )
    }

    /// What the topic's counters do not show yet: of the last few thousand events at the most.
    private func uncounted(of topic: Int64) throws -> TopicAddition {
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT count(*), ifnull(sum(length(data)), 0), ifnull(max(seq), 0) FROM event INDEXED BY event_topic
            WHERE topic = ?1 AND seq > (SELECT counted FROM log)
            """
        )
        statement.bind(topic, at: 1)
        return try statement.first {
            TopicAddition(events: $0.integer(0), bytes: $0.integer(1), last: $0.integer(2))
        } ?? TopicAddition()
    }

    private func id(_ position: Int64) -> EventID { EventID(epoch: epoch, position: Position(position)) }
}

extension String {
    /// The first text, in the order of the bytes, after all that begin with this one; nil if there is none. UTF-8 orders
    /// texts as their code points do.
    fileprivate var endOfPrefix: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            // After U+D7FF come the surrogates, which are no scalars; after U+10FFFF nothing comes.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            var end = String.UnicodeScalarView(scalars)
            end.append(scalar)
            return String(end)
        }
        return nil
    }
}
