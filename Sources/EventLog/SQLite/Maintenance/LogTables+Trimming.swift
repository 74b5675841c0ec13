internal import GRDB
import Notation

extension LogTables {
    /// Removes some of the oldest events of a topic that are too many, too much or too old, up to the first that a
    /// webhook still waits for.
    /// - Parameter limit: the rows to touch, about.
    /// - Returns: how many rows were touched; 0 if there is nothing to remove.
    func trim(_ topic: Int64, atMost limit: Int, removal: Int64, at now: Timestamp) throws -> Int {
        let row = try db.cached("SELECT \(HeldByTopic.columns) FROM topic WHERE id = ?1", topic)
        guard var held = try row.first(HeldByTopic.init) else { return 0 }
        let candidates = try self.candidates(of: topic, holding: held, atMost: limit, at: now)
        if candidates.isEmpty { return 0 }
        var rows = 0
        for candidate in candidates where rows < limit {
            rows += try candidate.delete(db)
            removed?.note(candidate.position, of: held.name, isKept: candidate.hasKey(at: now))
            held.lose(candidate)
        }
        try held.save(topic, removal: removal, db)
        try topics.record(removal, upTo: held.removed)
        if held.events == 0, held.retention.isUnbounded { topics.vanished(held.name) }
        schedule.mayHaveFreePages = true
        schedule.mayHaveGoneTopics = schedule.mayHaveGoneTopics || held.events == 0
        return rows
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
        let (reader, subscriptions) = (observers.reader, observers.subscriptions(to: held.name))
        // By the bytes of the type, as types are compared: of thousands that want other types each is asked once.
        var awaiting = RecentValues<[UInt8]?, [Subscription]>(capacity: 8)
        var held = held
        var candidates: [EventRow] = []
        // What follows those that are ahead of the clock.
        var next: (position: Int64, time: Int64)?
        try db.cached(
            """
            SELECT seq, length(data), (SELECT min(state) FROM delivery WHERE delivery.event = seq), time, type
            FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3
            """
        ).bind(topic, held.removed, limit).prefix { row in
            let state: Int64? = row[2]
            let event = EventRow(position: row[0], bytes: row[1], hasDeliveries: state != nil, time: row[3])
            let isTooMuch = retention.exceeds(events: held.events, bytes: held.bytes, own: held.retention)
            var time = event.time
            if !isTooMuch, oldest > .min, RetentionSweep.isAhead(time, of: now) {
                if next?.position ?? 0 < event.position {
                    next = try firstNotAhead(on: topic, after: event.position, at: now)
                }
                time = next?.time ?? time
            }
            guard isTooMuch || time < oldest, state != LogSchema.pending else { return false }
            let type: String? = row[4]
            let bytes = type.map { Array($0.utf8) }
            let mayWait = awaiting[bytes] ?? subscriptions.filter { $0.mayWant(held.name, type: type) }
            awaiting[bytes] = mayWait
            let isAwaited = try mayWait.contains { subscription in
                guard subscription.cursor < event.position,
                    subscription.wants(held.name, type: type, at: event.position)
                else { return false }
                return try !reader.hasDelivery(event.position, to: subscription.key)
            }
            if isAwaited { return false }
            candidates.append(event)
            held.lose(event)
            return true
        }
        return candidates
    }

    /// About as many rows as ``firstNotAhead(on:after:at:)`` costs.
    static let rowsOfSearch = 8

    /// The event of a topic that comes after those that are ahead of the clock, and is not: it is no older than they, so they
    /// are too old when it is. If the clock was ahead more than once it may be a later one, of which the same holds.
    ///
    /// Found without an index of times, by looking further and further ahead, and then by halving.
    /// - Parameter position: where those that are ahead begin.
    /// - Returns: nil if the newest event is ahead, too.
    func firstNotAhead(
        on topic: Int64,
        after position: Int64,
        at now: Timestamp
    ) throws -> (position: Int64, time: Int64)? {
        let newest = try db.cached(
            "SELECT seq, time FROM event INDEXED BY event_topic WHERE topic = ?1 ORDER BY seq DESC LIMIT 1"
        ).bind(topic).first { (position: $0.integer(0), time: $0.integer(1)) }
        guard var found = newest, !RetentionSweep.isAhead(found.time, of: now) else { return nil }
        let next = try db.cached(
            "SELECT seq, time FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq >= ?2 ORDER BY seq LIMIT 1"
        )
        // Nothing lies between `high` and what was found, which is not ahead.
        var (low, high) = (max(position, 0), found.position)
        var step: Int64 = 1
        while high - low > 1 {
            let middle = low + min(step, (high - low) / 2)
            let event = try next.bind(topic, middle).first { (position: $0.integer(0), time: $0.integer(1)) }
            guard let event else { break }
            if RetentionSweep.isAhead(event.time, of: now) {
                low = event.position
                step = min(2 * step, 1 << 61)
            } else {
                (found, high) = (event, middle)
            }
        }
        return found
    }
}

/// What a topic holds, as its row says.
struct HeldByTopic {
    let name: Topic
    private(set) var events: Int64
    private(set) var bytes: Int64
    private(set) var removed: Int64
    let retention: Retention

    static let columns = "name, events, bytes, removed, retain_events, retain_age, retain_bytes"

    init(_ row: PreparedStatement) {
        (name, events, bytes, removed) = (row[0], row[1], row[2], row[3])
        retention = Retention(stored: row[4], age: row[5], bytes: row[6])
    }

    mutating func lose(_ event: EventRow) {
        events = events.subtractingClamped(1)
        bytes = bytes.subtractingClamped(event.bytes)
        removed = event.position
    }

    func save(_ topic: Int64, removal: Int64, _ db: Database) throws {
        try db.cached("UPDATE topic SET events = ?2, bytes = ?3, removed = ?4, removal = ?5 WHERE id = ?1")
            .bind(topic, events, bytes, removed, removal).run()
    }
}
