internal import GRDB

extension TopicWriter {
    /// Refuses a topic that would be one more than there may be.
    func admit(_ topic: Topic) throws {
        if isCounted(topic), try known(topic)?.isThere != true { try quota.check(adding: 1) }
    }

    /// Gives a topic bounds of its own, or takes them away.
    /// - Returns: the number of the topic; nil if there was nothing to take away.
    func setRetention(_ bounds: Retention?, of topic: Topic) throws -> Int64? {
        let hasBounds = bounds.map { !$0.isUnbounded } ?? false
        let known = try known(topic)
        // Nothing is taken away from what is not there.
        guard hasBounds || known != nil else { return nil }
        let number = try hasBounds ? enter(topic) : known?.number ?? 0
        try db.cached("UPDATE topic SET retain_events = ?2, retain_age = ?3, retain_bytes = ?4 WHERE id = ?1")
            .bind(number, bounds?.events, bounds?.age, bounds?.bytes).run()
        if !hasBounds, known?.isThere == true, try !hasEvents(number) { vanished(topic) }
        return number
    }

    /// Has a topic's events up to a position gone for every reader, and forgets their keys and its bounds. The rows go later, some
    /// at a time. What was added before must be counted, or it would be counted afterwards.
    /// - Parameter position: of a copy; nil for all there is. Keys are forgotten up to there whatever it has removed before: all copies
    ///   must know the same.
    /// - Returns: whether there was anything to remove.
    func delete(_ topic: Topic, through position: Position?) throws -> Bool {
        let found = try db.cached("SELECT id, last FROM topic WHERE name = ?1").bind(topic)
            .first { (number: $0.integer(0), last: $0.integer(1)) }
        guard let (number, last) = found else { return false }
        var (end, left) = (last, (events: Int64(0), bytes: Int64(0)))
        if let position {
            try db.run("UPDATE topic SET deleted = max(deleted, ?2), is_purged = 0 WHERE id = ?1", number, position)
            if last > position.rawValue { (end, left) = try parts(of: number, at: position) }
        }
        let removal = try nextRemoval()
        try db.cached(
            """
            UPDATE topic SET removal = iif(?2 > removed, ?3, removal), events = ?4, bytes = ?5,
                removed = max(removed, ?2), deleted = max(deleted, min(max(removed, ?2), ?6)), is_purged = 0,
                retain_events = NULL, retain_age = NULL, retain_bytes = NULL
            WHERE id = ?1 AND \(LogSchema.isThere) AND (\(LogSchema.isBounded) OR ?2 > removed)
            """
        ).bind(number, end, removal, left.events, left.bytes).bind(position?.rawValue ?? .max, from: 6).run()
        guard db.changesCount > 0 else { return false }
        try record(removal, upTo: db.number("SELECT removed FROM topic WHERE id = ?1", number))
        if try db.number("SELECT \(LogSchema.isThere) FROM topic WHERE id = ?1", number) == 0 { vanished(topic) }
        return true
    }

    /// The newest event of a topic up to a position, or 0, and what comes after it.
    private func parts(
        of topic: Int64,
        at position: Position
    ) throws -> (end: Int64, left: (events: Int64, bytes: Int64)) {
        let end = try db.cached(
            "SELECT ifnull(max(seq), 0) FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq <= ?2"
        ).bind(topic, position).first { $0.integer(0) }
        let left = try db.cached(
            """
            SELECT count(*), ifnull(sum(length(data)), 0) FROM event INDEXED BY event_topic
            WHERE topic = ?1 AND seq > max(?2, (SELECT removed FROM topic WHERE id = ?1))
            """
        ).bind(topic, position).first { (events: $0.integer(0), bytes: $0.integer(1)) }
        return (end ?? 0, left ?? (events: 0, bytes: 0))
    }

    /// Has a topic's events up to a position gone for every reader, and its keys be kept. The rows go later, as those of a
    /// topic that was deleted. What was added before must be counted.
    func noteRemoval(of topic: Topic, through position: Position) throws {
        let known = try known(topic)
        let number = try known?.number ?? makeNumber(of: topic)
        let left =
            try db.cached(
                """
                SELECT count(*), ifnull(sum(length(data)), 0) FROM event INDEXED BY event_topic
                WHERE topic = ?1 AND seq > (SELECT removed FROM topic WHERE id = ?1) AND seq <= ?2
                """
            ).bind(number, position).first { (events: $0.integer(0), bytes: $0.integer(1)) } ?? (events: 0, bytes: 0)
        let removal = try nextRemoval()
        try db.cached(
            """
            UPDATE topic SET removed = ?2, removal = ?3, events = max(events - ?4, 0), bytes = max(bytes - ?5, 0),
                is_purged = iif(?4 > 0, 0, is_purged)
            WHERE id = ?1 AND removed < ?2
            """
        ).bind(number, position, removal, left.events, left.bytes).run()
        guard db.changesCount > 0 else { return }
        try record(removal, upTo: position.rawValue)
        guard known?.isThere == true else { return }
        if try db.number("SELECT \(LogSchema.isThere) FROM topic WHERE id = ?1", number) == 0 { vanished(topic) }
    }

    /// Has readers find that topics which are not known may have lost events up to a position.
    func noteRemovals(through position: Position) throws {
        let removal = try nextRemoval()
        try db.cached("UPDATE log SET forgotten = ?1, forgotten_removal = ?2 WHERE forgotten < ?1")
            .bind(position, removal).run()
        if db.changesCount > 0 { try record(removal, upTo: position.rawValue) }
    }

    /// The number of a removal in this transaction.
    func nextRemoval() throws -> Int64 { try db.number("SELECT removals + 1 FROM log") }

    /// Has the removal be the newest. What was removed has been there, also if a copy never had it.
    func record(_ removal: Int64, upTo removed: Int64) throws {
        try db.run(
            "UPDATE log SET removed = max(removed, ?1), high_water = max(high_water, ?1), removals = ?2",
            removed,
            removal
        )
    }
}
