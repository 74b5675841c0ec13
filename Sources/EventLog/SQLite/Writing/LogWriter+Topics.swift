internal import GRDB

extension LogWriter {
    /// Gives a topic bounds of its own, or takes them away.
    func setRetention(_ bounds: Retention?, of topic: Topic, _ db: Database) throws {
        guard let statements else { throw EventLogError.isClosed }
        let hasBounds = bounds.map { !$0.isUnbounded } ?? false
        let known = try known(topic, statements)
        // Nothing is taken away from what is not there.
        guard hasBounds || known != nil else { return }
        if hasBounds, known?.isThere != true, let excess = excess(ofTopics: 1) { throw excess }
        let number = try hasBounds ? enter(topic, statements) : known?.number ?? 0
        try db.execute(
            sql: "UPDATE topic SET retain_events = ?, retain_age = ?, retain_bytes = ? WHERE id = ?",
            arguments: [bounds?.events, bounds?.age, bounds?.bytes, number]
        )
        if !hasBounds, known?.isThere == true, try !hasEvents(number, db) { topicVanished(topic) }
        schedule.retention.boundsChanged(of: number)
        schedule.mayHaveGoneTopics = true
    }

    /// Has a topic's events gone for every reader, and forgets its bounds. The rows go later, some at a time.
    /// - Returns: whether there was anything to remove.
    func delete(_ topic: Topic, _ db: Database) throws -> Bool {
        // What was added before must be counted, or it would be counted afterwards.
        try countEvents(db)
        let removal = try nextRemoval(db)
        try db.execute(
            sql: """
                UPDATE topic SET removal = CASE WHEN events > 0 THEN ?2 ELSE removal END, events = 0, bytes = 0, removed = max(removed, last), deleted = max(removed, last),
                    is_purged = 0, retain_events = NULL, retain_age = NULL, retain_bytes = NULL
                WHERE name = ?1 AND (events > 0 OR coalesce(retain_events, retain_age, retain_bytes) IS NOT NULL)
                """,
            arguments: [topic.name, removal]
        )
        guard db.changesCount > 0 else { return false }
        let removed = try Int64.fetchOne(db, sql: "SELECT removed FROM topic WHERE name = ?", arguments: [topic.name])
        try record(removal, upTo: removed ?? 0, db)
        topicVanished(topic)
        schedule.hasUnpurgedTopics = true
        return true
    }

    private func hasEvents(_ topic: Int64, _ db: Database) throws -> Bool {
        let row = try PreparedStatement(cachedIn: db, "SELECT events > 0 FROM topic WHERE id = ?1")
        row.bind(topic, at: 1)
        return try memory.counting.has(topic) || row.first { $0.integer(0) != 0 } ?? false
    }
}
