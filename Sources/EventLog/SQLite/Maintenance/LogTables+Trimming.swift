internal import GRDB

extension LogTables {
    /// Removes some of the oldest events of a topic that are too many, too much or too old, up to the first that a
    /// webhook still waits for.
    /// - Parameters:
    ///   - limit: the rows to touch, about.
    ///   - removal: the number of this removal.
    /// - Returns: how many rows were touched, and what the topic holds now; nil if there is nothing to remove.
    func trim(_ topic: Int64, atMost limit: Int, removal: Int64, at now: Timestamp) throws -> (
        rows: Int, held: HeldByTopic
    )? {
        guard var held = try HeldByTopic(topic, db) else { return nil }
        let candidates = try self.candidates(of: topic, holding: held, atMost: limit, at: now)
        if candidates.isEmpty { return nil }
        var rows = 0
        for candidate in candidates where rows < limit {
            rows += try candidate.delete(db)
            removed?.note(candidate.position, of: held.name, isKept: candidate.hasKey(at: now))
            held.lose(candidate)
        }
        try held.save(topic, removal: removal, db)
        if held.events == 0, held.retention.isUnbounded { topics.vanished(held.name) }
        return (rows, held)
    }

    /// The oldest events that are to go.
    private func candidates(
        of topic: Int64,
        holding held: HeldByTopic,
        atMost limit: Int,
        at now: Timestamp
    ) throws -> [EventRow] {
        let retention = schedule.retention
        let oldest = retention.oldest(own: held.retention, at: now)
        let subscriptions = observers.subscriptions(to: held.name)
        var held = held
        var candidates: [EventRow] = []
        try db.cached(
            """
            SELECT seq, length(data), (SELECT min(state) FROM delivery WHERE delivery.event = seq), time, type
            FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3
            """
        ).bind(topic, held.removed, limit).prefix { row in
            let state: Int64? = row[2]
            let event = EventRow(position: row[0], bytes: row[1], hasDeliveries: state != nil, time: row[3])
            let isTooMuch = retention.exceeds(events: held.events, bytes: held.bytes, own: held.retention)
            guard isTooMuch || row.integer(3) < oldest, state != LogSchema.pending,
                try !isAwaited(event.position, of: held.name, type: row[4], by: subscriptions)
            else { return false }
            candidates.append(event)
            held.lose(event)
            return true
        }
        return candidates
    }

    /// Whether an observer waits for an event that was never tried.
    private func isAwaited(
        _ event: Int64,
        of topic: Topic,
        type: String?,
        by subscriptions: [Subscription]
    ) throws -> Bool {
        let reader = observers.reader
        return try subscriptions.contains { subscription in
            guard subscription.cursor < event, subscription.wants(topic, type: type, at: event) else { return false }
            return try !reader.hasDelivery(event, to: subscription.key)
        }
    }
}

/// What a topic holds, as its row says.
struct HeldByTopic {
    let name: Topic
    private(set) var events: Int64
    private(set) var bytes: Int64
    private(set) var removed: Int64
    let retention: Retention

    init?(_ topic: Int64, _ db: Database) throws {
        let row = try db.cached(
            "SELECT name, events, bytes, removed, retain_events, retain_age, retain_bytes FROM topic WHERE id = ?1",
            topic
        )
        guard let held = try row.first(HeldByTopic.init) else { return nil }
        self = held
    }

    private init(_ row: PreparedStatement) {
        (name, events, bytes, removed) = (row[0], row[1], row[2], row[3])
        retention = Retention(events: row[4], age: row[5], bytes: row[6])
    }

    mutating func lose(_ event: EventRow) {
        events -= 1
        bytes -= event.bytes
        removed = event.position
    }

    func save(_ topic: Int64, removal: Int64, _ db: Database) throws {
        try db.cached("UPDATE topic SET events = ?2, bytes = ?3, removed = ?4, removal = ?5 WHERE id = ?1")
            .bind(topic, events, bytes, removed, removal).run()
    }
}
