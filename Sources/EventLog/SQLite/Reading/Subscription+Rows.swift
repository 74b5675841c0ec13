internal import GRDB

extension Subscription {
    /// Reads what the tables say of an observer; nil if there is none of that id.
    init?(of observer: ObserverID, _ db: Database) throws {
        let row = try db.cached(
            "SELECT key, cursor FROM observer CROSS JOIN delivery_stats ON delivery_stats.observer = key WHERE name = ?1",
            observer
        )
        guard let found = try row.first({ (key: $0.integer(0), cursor: $0.integer(1)) }) else { return nil }
        try self.init(key: found.key, cursor: found.cursor, db)
    }

    /// Reads what the table says of an observer's interests.
    init(key: Int64, cursor: Int64, _ db: Database) throws {
        let rows = try db.cached("SELECT since, topics, types FROM interest WHERE observer = ?1 ORDER BY since", key)
        let interests = try rows.map { row in
            Interest(since: row[0], topics: ObserverRecord.topics(row[1]), types: ObserverRecord.lines(row[2]))
        }
        self.init(key: key, cursor: cursor, interests: interests)
    }
}
