/// A round through topics that have nothing any more, those first that lost their last event longest ago.
struct GoneTopics {
    /// How many of them are still to be looked at; nil between rounds.
    var left: Int?
    /// The one that was looked at last.
    var last: (removal: Int64, id: Int64) = (-1, 0)
    /// Whether any was deleted.
    var hasDeleted = false
}

extension LogTables {
    /// How many topics that have nothing any more keep their rows: readers find exactly what is gone of these.
    static let keptGoneTopics = 1_024

    /// Deletes the rows of some topics that have nothing any more, no events, bounds or idempotency keys, if there are
    /// many of them.
    func forgetGoneTopics(_ limit: Int) throws {
        var round = schedule.goneTopics
        let count = "SELECT count(*) FROM topic INDEXED BY topic_gone WHERE \(LogSchema.isGone)"
        let left = try round.left ?? Int(db.number(count)) - Self.keptGoneTopics
        guard left > 0 else { return schedule.end(round) }
        let found = try db.cached(
            """
            SELECT \(LogReader.StoredTopic.columns),
                EXISTS (SELECT 1 FROM idempotency WHERE idempotency.topic = topic.id)
                    OR EXISTS (SELECT 1 FROM event WHERE event.topic = topic.id)
            FROM topic INDEXED BY topic_gone WHERE \(LogSchema.isGone) AND (removal, id) > (?1, ?2)
            ORDER BY removal, id LIMIT ?3
            """
        ).bind(round.last.removal, round.last.id, min(limit, left))
            .map { (topic: LogReader.StoredTopic($0), isInUse: $0[4] as Bool) }
        let gone = found.filter { !$0.isInUse }.map(\.topic)
        for topic in gone {
            try db.run("DELETE FROM topic WHERE id = ?1", topic.number)
            topics.forget(topic.topic)
        }
        if let removed = gone.map(\.removed).max(), let removal = gone.map(\.removal).max() {
            try db.cached(
                "UPDATE log SET forgotten = max(forgotten, ?1), forgotten_removal = max(forgotten_removal, ?2)"
            ).bind(removed, removal).run()
            round.hasDeleted = true
        }
        guard let last = found.last, left > found.count else { return schedule.end(round) }
        round.left = left - found.count
        round.last = (last.topic.removal, last.topic.number)
        schedule.goneTopics = round
    }
}

extension MaintenanceSchedule {
    /// Others may have gone during the round. Those that are still in use are looked at again when more go.
    fileprivate mutating func end(_ round: GoneTopics) {
        mayHaveGoneTopics = round.hasDeleted
        goneTopics = GoneTopics()
    }
}
