extension LogTables {
    /// How many topics that have nothing any more keep their rows: readers find exactly what is gone of these.
    static let keptGoneTopics = 1_024

    /// Deletes the rows of some topics that have nothing any more, no events, bounds or idempotency keys, if there are many of
    /// them: in rounds, those first that lost their last event longest ago.
    func forgetGoneTopics(_ limit: Int) throws {
        if schedule.goneTopicsSeen == nil { schedule.mayHaveGoneTopics = false }
        let seen = schedule.goneTopicsSeen ?? (-1, 0)
        let found = try db.cached(
            """
            SELECT \(LogReader.StoredTopic.columns),
                EXISTS (SELECT 1 FROM idempotency WHERE idempotency.topic = topic.id)
                    OR EXISTS (SELECT 1 FROM event WHERE event.topic = topic.id)
            FROM topic INDEXED BY topic_gone WHERE \(LogSchema.isGone) AND (removal, id) > (?1, ?2)
                AND (removal, id) < (
                    SELECT removal, id FROM topic INDEXED BY topic_gone WHERE \(LogSchema.isGone)
                    ORDER BY removal DESC, id DESC LIMIT 1 OFFSET \(Self.keptGoneTopics - 1)
                ) ORDER BY removal, id LIMIT ?3
            """
        ).bind(seen.removal, seen.id, limit).map { (topic: LogReader.StoredTopic($0), isInUse: $0[4] as Bool) }
        let gone = found.filter { !$0.isInUse }.map(\.topic)
        for topic in gone {
            try db.run("DELETE FROM topic WHERE id = ?1", topic.number)
            topics.forget(topic.topic)
        }
        if let removed = gone.map(\.removed).max(), let removal = gone.map(\.removal).max() {
            try db.cached(
                "UPDATE log SET forgotten = max(forgotten, ?1), forgotten_removal = max(forgotten_removal, ?2)"
            ).bind(removed, removal).run()
        }
        let isLast = found.count < limit
        schedule.goneTopicsSeen = isLast ? nil : found.last.map { (removal: $0.topic.removal, id: $0.topic.number) }
    }
}
