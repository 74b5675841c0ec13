internal import GRDB

extension TopicWriter {
    /// Deletes some rows of a topic that was deleted.
    func purge(
        _ limit: Int,
        noting schedule: inout MaintenanceSchedule,
        _ removed: RemovedEvents?,
        _ db: Database
    ) throws {
        let unpurged = try db.cached(
            "SELECT id, removed, name FROM topic INDEXED BY topic_unpurged WHERE is_purged = 0 LIMIT 1"
        )
        guard let topic = try unpurged.first({ (id: $0.integer(0), removed: $0.integer(1), name: $0[2] as Topic) })
        else {
            schedule.hasUnpurgedTopics = false
            return
        }
        let found = try db.cached(
            """
            SELECT seq, length(data), EXISTS (SELECT 1 FROM delivery WHERE delivery.event = seq)
            FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3
            """
        ).bind(topic.id, topic.removed, limit).map { EventRow(position: $0[0], bytes: $0[1], hasDeliveries: $0[2]) }
        var touched = 0
        for row in found {
            if touched >= limit { return }
            touched += try row.delete(db)
            removed?.note(row.position, of: topic.name)
            schedule.mayHaveFreePages = true
        }
        if found.count < limit {
            try db.run("UPDATE topic SET is_purged = 1 WHERE id = ?1", topic.id)
            schedule.mayHaveGoneTopics = true
        }
    }
}
