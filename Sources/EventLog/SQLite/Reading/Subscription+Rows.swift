internal import GRDB

extension Subscription {
    private static let rows = """
        SELECT key, cursor FROM observer CROSS JOIN delivery_stats ON delivery_stats.observer = key
        """

    /// Reads what the tables say of an observer; nil if there is none of that id.
    init?(of observer: ObserverID, _ db: Database) throws {
        try self.init(first: db.cached("\(Self.rows) WHERE name = ?1", observer), db)
    }

    /// Reads it of the next observer after one of that number whose position is not the end of the log.
    init?(waitingAfter key: Int64, _ db: Database) throws {
        let next = "\(Self.rows) WHERE key > ?1 AND name IS NOT NULL AND cursor < ?2 ORDER BY key LIMIT 1"
        try self.init(first: db.cached(next, key, LogReader.tail(db)), db)
    }

    private init?(first row: PreparedStatement, _ db: Database) throws {
        guard let found = try row.first({ (key: $0.integer(0), cursor: $0.integer(1)) }) else { return nil }
        let wanted = "SELECT since, topics, types FROM interest WHERE observer = ?1 ORDER BY since"
        let interests = try db.cached(wanted, found.key).map { row in
            Interest(since: row[0], topics: ObserverRecord.topics(row[1]), types: ObserverRecord.lines(row[2]))
        }
        self.init(key: found.key, cursor: found.cursor, interests: interests)
    }
}
