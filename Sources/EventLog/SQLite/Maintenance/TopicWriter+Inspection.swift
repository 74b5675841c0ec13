internal import GRDB

extension TopicWriter {
    /// Looks for topics that hold too much, or whose oldest event is too old.
    func inspect(_ limit: Int, at now: Timestamp, noting retention: inout RetentionSweep, _ db: Database) throws {
        guard let start = retention.nextInspection(at: now) else { return }
        var last: Int64?
        var count = 0
        var sawOwnBounds = false
        try db.cached(
            """
            SELECT id, events, bytes, retain_events, retain_age, retain_bytes, (
                SELECT time FROM event INDEXED BY event_topic
                WHERE event.topic = topic.id AND event.seq > topic.removed ORDER BY event.seq LIMIT 1
            ) FROM topic WHERE id > ?1 ORDER BY id LIMIT ?2
            """
        ).bind(start, limit).forEach { row in
            last = row[0]
            count += 1
            let own = Retention(events: row[3], age: row[4], bytes: row[5])
            sawOwnBounds = sawOwnBounds || !own.isUnbounded
            let first: Int64 = row[6] ?? .max
            let isOld = first < retention.oldest(own: own, at: now)
            if isOld || retention.exceeds(events: row[1], bytes: row[2], own: own) {
                retention.note(row[0])
            }
        }
        retention.inspected(count, through: count < limit ? nil : last, sawOwnBounds: sawOwnBounds, at: now)
    }
}
