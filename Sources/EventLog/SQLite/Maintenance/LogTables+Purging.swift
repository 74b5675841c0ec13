internal import GRDB

extension LogTables {
    /// For how long a delivery is kept after it arrived, and after it became a dead letter, in milliseconds, unless its
    /// event goes earlier.
    static let deliveredLifetime: Int64 = 7 * 86_400_000
    static let deadLifetime: Int64 = 30 * 86_400_000

    /// Deletes some rows of a topic that was deleted, and forgets the keys of its events; or those of events that are gone
    /// elsewhere, whose keys are kept.
    func purgeTopic(_ limit: Int, at now: Timestamp) throws {
        let unpurged = try db.cached(
            "SELECT id, removed, name, deleted FROM topic INDEXED BY topic_unpurged WHERE is_purged = 0 LIMIT 1"
        )
        let first = try unpurged.first {
            (id: $0.integer(0), removed: $0.integer(1), name: $0[2] as Topic, deleted: $0.integer(3))
        }
        guard let topic = first else { return schedule.hasUnpurgedTopics = false }
        let found = try db.cached(
            """
            SELECT seq, length(data), EXISTS (SELECT 1 FROM delivery WHERE delivery.event = seq), time
            FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3
            """
        ).bind(topic.id, topic.removed, limit).map {
            EventRow(position: $0[0], bytes: $0[1], hasDeliveries: $0[2], time: $0[3])
        }
        var touched = 0
        for row in found {
            if touched >= limit { return }
            touched += try row.delete(db)
            let isKept = row.position > topic.deleted && row.hasKey(at: now)
            removed?.note(row.position, of: topic.name, isKept: isKept)
            schedule.mayHaveFreePages = true
        }
        guard found.count < limit else { return }
        let forgotten = try keys.forget(of: topic.id, through: topic.deleted, atMost: limit)
        for event in forgotten { removed?.note(event, of: nil) }
        guard forgotten.count < limit else { return }
        try db.run("UPDATE topic SET is_purged = 1 WHERE id = ?1", topic.id)
        schedule.mayHaveGoneTopics = true
    }

    /// Deletes some deliveries of an observer that was taken out.
    func purgeObserver(_ limit: Int) throws {
        let gone = try db.cached("SELECT key FROM observer WHERE name IS NULL LIMIT 1")
        guard let key = try gone.first({ $0.integer(0) }) else { return schedule.hasUnpurgedObservers = false }
        try db.cached(
            """
            DELETE FROM delivery WHERE id IN (
                SELECT id FROM delivery INDEXED BY delivery_state WHERE observer = ?1 LIMIT ?2
            )
            """
        ).bind(key, limit).run()
        schedule.mayHaveFreePages = true
        guard db.changesCount < limit else { return }
        try db.run("DELETE FROM interest WHERE observer = ?1", key)
        try db.run("DELETE FROM delivery_stats WHERE observer = ?1", key)
        try db.run("DELETE FROM observer WHERE key = ?1", key)
    }

    /// Forgets some idempotency keys, and in the same turn some deliveries: both are rows that have become too old for any use.
    func forgetKeys(_ limit: Int, at now: Timestamp) throws {
        let forgotten = try keys.forget(limit, at: time.placed ?? time.clock.now)
        for event in forgotten { removed?.note(event, of: nil) }
        if !forgotten.isEmpty {
            schedule.mayHaveFreePages = true
            schedule.mayHaveGoneTopics = true
        }
        guard forgotten.count < limit else { return }
        let hasMore = try purgeHistory(limit - forgotten.count, at: now)
        if !hasMore { schedule.keysForgotten(at: now) }
    }

    /// Deletes some deliveries that arrived, or became dead letters, long ago, with their attempts.
    /// - Returns: whether there may be more.
    func purgeHistory(_ limit: Int, at now: Timestamp) throws -> Bool {
        let deliveries = try db.cached(
            """
            DELETE FROM delivery WHERE id IN (
                SELECT id FROM delivery INDEXED BY delivery_settled
                WHERE state > 0 AND state = ?1 AND settled_at <= ?2
                    -- A later event without a row was never tried.
                    AND event <= (SELECT cursor FROM delivery_stats WHERE delivery_stats.observer = delivery.observer)
                ORDER BY settled_at LIMIT ?3
            )
            """
        )
        var left = limit
        for (state, lifetime) in [(LogSchema.delivered, Self.deliveredLifetime), (LogSchema.dead, Self.deadLifetime)] {
            try deliveries.bind(state, now.milliseconds - lifetime, left).run()
            left -= db.changesCount
        }
        if left < limit { schedule.mayHaveFreePages = true }
        return left <= 0
    }
}
