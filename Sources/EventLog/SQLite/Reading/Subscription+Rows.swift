internal import GRDB

extension Subscription {
    /// Reads what the tables say of an observer; nil if there is none of that id.
    init?(of observer: String, _ db: Database) throws {
        let row = try PreparedStatement(
            cachedIn: db,
            "SELECT key, cursor FROM observer CROSS JOIN delivery_stats ON delivery_stats.observer = key WHERE name = ?1"
        )
        row.bind(observer, at: 1)
        guard let found = try row.first({ (key: $0.integer(0), cursor: $0.integer(1)) }) else { return nil }
        try self.init(key: found.key, cursor: found.cursor, db)
    }

    /// Reads what the table says of an observer's interests.
    init(key: Int64, cursor: Int64, _ db: Database) throws {
        let rows = try PreparedStatement(
            cachedIn: db,
            "SELECT since, topics, types FROM interest WHERE observer = ?1 ORDER BY since"
        )
        rows.bind(key, at: 1)
        var interests: [Interest] = []
        try rows.forEach { row in
            interests.append(
                Interest(
                    since: row.integer(0),
                    topics: ObserverRecord.lines(row.text(1)).map(TopicPattern.init(stored:)),
                    types: ObserverRecord.lines(row.text(2))
                )
            )
        }
        self.init(key: key, cursor: cursor, interests: interests)
    }
}
