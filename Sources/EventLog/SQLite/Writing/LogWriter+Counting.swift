internal import GRDB

/// A topic's counters are not written with every event: that would be another page for every commit. Additions are kept
/// in memory, by the numbers of the topics, and written by the next step of maintenance. What was not written when the
/// process ends is found in the table of events.
extension LogWriter {
    /// Reads what the counters lack.
    static func uncounted(_ db: Database) throws -> [Int64: TopicAddition] {
        var additions: [Int64: TopicAddition] = [:]
        try PreparedStatement(
            db,
            """
            SELECT topic, count(*), sum(length(data)), max(seq) FROM event
            WHERE seq > (SELECT counted FROM log) GROUP BY topic
            """
        ).forEach {
            additions[$0.integer(0)] = TopicAddition(events: $0.integer(1), bytes: $0.integer(2), last: $0.integer(3))
        }
        return additions
    }

    /// Brings the counters up to all that was added, also by this transaction. Topics that hold too much now are noted.
    func countEvents(_ db: Database) throws {
        let additions = memory.counting.takeAll()
        if additions.isEmpty { return }
        let count = try PreparedStatement(
            cachedIn: db,
            "UPDATE topic SET events = events + ?2, bytes = bytes + ?3, last = ?4 WHERE id = ?1"
        )
        let counted = try PreparedStatement(
            cachedIn: db,
            "SELECT events, bytes, retain_events, retain_bytes FROM topic WHERE id = ?1"
        )
        // In the order of the rows, because neighbours share a page.
        for (topic, addition) in additions.sorted(by: { $0.key < $1.key }) {
            count.bind(topic, at: 1)
            count.bind(addition.events, at: 2)
            count.bind(addition.bytes, at: 3)
            count.bind(addition.last, at: 4)
            try count.run()
            guard schedule.retention.mayBound else { continue }
            counted.bind(topic, at: 1)
            _ = try counted.first { row in
                schedule.retention.note(
                    topic,
                    events: row.integer(0),
                    bytes: row.integer(1),
                    own: Retention(events: row.optionalInteger(2), bytes: row.optionalInteger(3))
                )
            }
        }
        try db.execute(sql: "UPDATE log SET counted = ?", arguments: [memory.tail])
    }
}
