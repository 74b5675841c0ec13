internal import GRDB

/// A round through topics that have nothing any more, those first that lost their last event longest ago.
struct GoneTopics {
    /// How many of them are still to be looked at; nil between rounds.
    var left: Int?
    /// The one that was looked at last.
    var last: (removal: Int64, id: Int64) = (-1, 0)
    /// Whether any was deleted.
    var hasDeleted = false
}

extension LogWriter {
    /// How many topics that have nothing any more keep their rows: readers are told exactly what is gone of these.
    static let keptGoneTopics = 1_024

    /// Deletes the rows of some topics that have nothing any more, no events, bounds or idempotency keys, if there are
    /// many of them.
    func forgetTopics(_ limit: Int, _ db: Database) throws {
        var round = schedule.goneTopics
        let left = try round.left ?? goneTopics(db) - Self.keptGoneTopics
        guard left > 0 else { return end(round) }
        let rows = try PreparedStatement(
            cachedIn: db,
            """
            SELECT id, name, removed, removal,
                EXISTS (SELECT 1 FROM idempotency WHERE idempotency.topic = topic.id)
                    OR EXISTS (SELECT 1 FROM event WHERE event.topic = topic.id)
            FROM topic INDEXED BY topic_gone WHERE \(Schema.isGone) AND (removal, id) > (?1, ?2)
            ORDER BY removal, id LIMIT ?3
            """
        )
        rows.bind(round.last.removal, at: 1)
        rows.bind(round.last.id, at: 2)
        rows.bind(Int64(min(limit, left)), at: 3)
        var found: [(id: Int64, topic: Topic, removed: Int64, removal: Int64, isInUse: Bool)] = []
        try rows.forEach { row in
            found.append(
                (row.integer(0), Topic(stored: row.text(1)), row.integer(2), row.integer(3), row.integer(4) != 0)
            )
        }
        let row = try PreparedStatement(cachedIn: db, "DELETE FROM topic WHERE id = ?1")
        var (removed, removal) = (Int64(0), Int64(0))
        for topic in found where !topic.isInUse {
            row.bind(topic.id, at: 1)
            try row.run()
            self.memory.topics.forget(topic.topic)
            (removed, removal) = (max(removed, topic.removed), max(removal, topic.removal))
        }
        if removed > 0 {
            try db.execute(
                sql: "UPDATE log SET forgotten = max(forgotten, ?1), forgotten_removal = max(forgotten_removal, ?2)",
                arguments: [removed, removal]
            )
        }
        round.hasDeleted = round.hasDeleted || found.contains { !$0.isInUse }
        guard let last = found.last, left > found.count else { return end(round) }
        round.left = left - found.count
        round.last = (last.removal, last.id)
        schedule.goneTopics = round
    }

    /// Others may have gone during the round. Those that are still in use are looked at again when more go.
    private func end(_ round: GoneTopics) {
        schedule.mayHaveGoneTopics = round.hasDeleted
        schedule.goneTopics = GoneTopics()
    }

    private func goneTopics(_ db: Database) throws -> Int {
        let count = try PreparedStatement(
            cachedIn: db,
            "SELECT count(*) FROM topic INDEXED BY topic_gone WHERE \(Schema.isGone)"
        )
        return Int(try count.first { $0.integer(0) } ?? 0)
    }
}
