internal import GRDB

extension LogWriter {
    /// What was taken from a topic.
    struct Trimming {
        /// How many rows were touched.
        var rows: Int
        /// The newest position that is gone.
        var removed: Int64
        /// Whether there may be more to take.
        var isUnfinished: Bool
        /// Whether the topic has no events any more.
        var isEmpty: Bool
    }

    /// Removes some of the oldest events of a topic that are too many, too much or too old, up to the first that a
    /// webhook still waits for.
    /// - Parameters:
    ///   - limit: the rows to touch, about.
    ///   - removal: the number of this removal.
    /// - Returns: nil if there is nothing to remove.
    func trim(
        _ topic: Int64,
        atMost limit: Int,
        removal: Int64,
        at now: Timestamp,
        _ db: Database
    ) throws -> Trimming? {
        guard var held = try HeldByTopic(topic, db) else { return nil }
        let candidates = try self.candidates(of: topic, holding: held, atMost: limit, at: now, db)
        if candidates.isEmpty { return nil }
        var rows = 0
        for candidate in candidates where rows < limit {
            rows += try delete(candidate.position, bytes: candidate.bytes, hasDeliveries: candidate.hasDeliveries, db)
            held.lose(candidate.position, bytes: candidate.bytes)
        }
        try held.save(topic, removal: removal, db)
        if held.events == 0, held.retention.isUnbounded { topicVanished(held.name) }
        return Trimming(
            rows: rows,
            removed: held.removed,
            isUnfinished: rows >= limit,
            isEmpty: held.events == 0
        )
    }

    /// The oldest events that are to go.
    private func candidates(
        of topic: Int64,
        holding held: HeldByTopic,
        atMost limit: Int,
        at now: Timestamp,
        _ db: Database
    ) throws -> [(position: Int64, bytes: Int64, hasDeliveries: Bool)] {
        let retention = schedule.retention
        let oldest = retention.bounds(own: held.retention).age.map { now.milliseconds - max($0, 0) } ?? .min
        let subscriptions = memory.observers.subscriptions(to: held.name)
        var held = held
        var candidates: [(position: Int64, bytes: Int64, hasDeliveries: Bool)] = []
        let rows = try PreparedStatement(
            cachedIn: db,
            """
            SELECT seq, time, length(data), (SELECT min(state) FROM delivery WHERE delivery.event = seq), type
            FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3
            """
        )
        rows.bind(topic, at: 1)
        rows.bind(held.removed, at: 2)
        rows.bind(Int64(limit), at: 3)
        try rows.prefix(while: { row in
            let isTooMuch = retention.exceeds(events: held.events, bytes: held.bytes, own: held.retention)
            let state = row.optionalInteger(3)
            guard isTooMuch || row.integer(1) < oldest, state != Schema.pending else { return false }
            if try isAwaited(row.integer(0), of: held.name, type: row.optionalText(4), by: subscriptions, db) {
                return false
            }
            candidates.append((row.integer(0), row.integer(2), state != nil))
            held.lose(row.integer(0), bytes: row.integer(2))
            return true
        })
        return candidates
    }

    /// Whether an observer waits for an event that was never tried.
    private func isAwaited(
        _ event: Int64,
        of topic: Topic,
        type: String?,
        by subscriptions: [Subscription],
        _ db: Database
    ) throws -> Bool {
        let reader = EventReader(db, epoch: epoch)
        return try subscriptions.contains { subscription in
            guard subscription.cursor < event, subscription.wants(topic, type: type, at: event) else { return false }
            return try !reader.hasDelivery(event, to: subscription.key)
        }
    }

    /// Looks for topics that hold too much, or whose oldest event is too old.
    func inspect(_ limit: Int, at now: Timestamp, _ db: Database) throws {
        guard let start = schedule.retention.nextInspection(at: now) else { return }
        let topics = try PreparedStatement(
            cachedIn: db,
            """
            SELECT id, retain_age, (
                SELECT time FROM event INDEXED BY event_topic
                WHERE event.topic = topic.id AND event.seq > topic.removed ORDER BY event.seq LIMIT 1
            ), events, bytes, retain_events, retain_bytes FROM topic WHERE id > ?1 ORDER BY id LIMIT ?2
            """
        )
        topics.bind(start, at: 1)
        topics.bind(Int64(limit), at: 2)
        var last: Int64?
        var count = 0
        var sawOwnBounds = false
        try topics.forEach { row in
            last = row.integer(0)
            count += 1
            let own = Retention(
                events: row.optionalInteger(5),
                age: row.optionalInteger(1),
                bytes: row.optionalInteger(6)
            )
            sawOwnBounds = sawOwnBounds || !own.isUnbounded
            let isOld =
                if let age = schedule.retention.bounds(own: own).age, let first = row.optionalInteger(2) {
                    first < now.milliseconds - max(age, 0)
                } else {
                    false
                }
            if isOld || schedule.retention.exceeds(events: row.integer(3), bytes: row.integer(4), own: own) {
                schedule.retention.note(row.integer(0))
            }
        }
        schedule.retention.inspected(
            count,
            through: count < limit ? nil : last,
            sawOwnBounds: sawOwnBounds,
            at: now
        )
    }
}

/// What a topic holds, as its row says.
private struct HeldByTopic {
    let name: Topic
    private(set) var events: Int64
    private(set) var bytes: Int64
    private(set) var removed: Int64
    let retention: Retention

    init?(_ topic: Int64, _ db: Database) throws {
        let row = try PreparedStatement(
            cachedIn: db,
            "SELECT events, bytes, removed, retain_events, retain_age, retain_bytes, name FROM topic WHERE id = ?1"
        )
        row.bind(topic, at: 1)
        let held = try row.first { row in
            (
                row.integer(0), row.integer(1), row.integer(2),
                Retention(
                    events: row.optionalInteger(3),
                    age: row.optionalInteger(4),
                    bytes: row.optionalInteger(5)
                ), Topic(stored: row.text(6))
            )
        }
        guard let held else { return nil }
        (events, bytes, removed, retention, name) = held
    }

    mutating func lose(_ position: Int64, bytes count: Int64) {
        events -= 1
        bytes -= count
        removed = position
    }

    func save(_ topic: Int64, removal: Int64, _ db: Database) throws {
        let row = try PreparedStatement(
            cachedIn: db,
            "UPDATE topic SET events = ?2, bytes = ?3, removed = ?4, removal = ?5 WHERE id = ?1"
        )
        row.bind(topic, at: 1)
        row.bind(events, at: 2)
        row.bind(bytes, at: 3)
        row.bind(removed, at: 4)
        row.bind(removal, at: 5)
        try row.run()
    }
}
