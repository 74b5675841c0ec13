internal import GRDB

/// Reads deliveries and their counters from one snapshot of the database.
struct DeliveryReader {
    let db: Database
    var events: EventReader

    init(_ db: Database, epoch: LogEpoch) {
        self.db = db
        events = EventReader(db, epoch: epoch)
    }

    static let observerKey = "(SELECT key FROM observer WHERE name = ?1)"

    /// The pending deliveries that are due, the longest due first.
    mutating func due(of observer: String, at now: Timestamp, limit: Int) throws -> [DeliveryRecord] {
        let found = try records(
            of: observer,
            "INDEXED BY delivery_due",
            "AND state = \(Schema.pending) AND recent = 0 AND not_before <= ?3 ORDER BY not_before, delivery.event LIMIT ?2",
            limit: limit,
            now: now
        )
        if found.count >= limit, let last = found.last, let recent = try oldestRecent(),
            recent.notBefore > last.notBefore
        {
            return found
        }
        let recent = try records(
            of: observer,
            "INDEXED BY delivery_recent",
            "AND recent = 1 AND not_before <= ?3 ORDER BY delivery.event LIMIT ?2",
            limit: limit,
            now: now
        )
        let all = (found + recent).sorted { ($0.notBefore, $0.event.position) < ($1.notBefore, $1.event.position) }
        return Array(all.prefix(limit))
    }

    /// The pending deliveries in sequence order.
    mutating func pending(of observer: String, limit: Int) throws -> [DeliveryRecord] {
        let found = try records(
            of: observer,
            "INDEXED BY delivery_state",
            "AND state = \(Schema.pending) AND recent = 0 ORDER BY delivery.event LIMIT ?2",
            limit: limit,
            now: nil
        )
        if found.count >= limit, let last = found.last, let recent = try oldestRecent(),
            recent.event > last.event.position
        {
            return found
        }
        let recent = try records(
            of: observer,
            "INDEXED BY delivery_recent",
            "AND recent = 1 ORDER BY delivery.event LIMIT ?2",
            limit: limit,
            now: nil
        )
        return Array((found + recent).sorted { $0.event.position < $1.event.position }.prefix(limit))
    }

    /// The first of those that are in no index by observer, of anybody's: as a rule they are the newest of all, and need
    /// not be looked through by who finds enough in the indexes.
    private func oldestRecent() throws -> (event: Position, notBefore: Timestamp)? {
        let oldest = try PreparedStatement(
            cachedIn: db,
            "SELECT event, not_before FROM delivery INDEXED BY delivery_recent WHERE recent = 1 ORDER BY event LIMIT 1"
        )
        return try oldest.first { (Position($0.integer(0)), Timestamp(milliseconds: $0.integer(1))) }
    }

    /// When the first pending delivery is due.
    func next(of observer: String) throws -> Timestamp? {
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT min(not_before) FROM (
                SELECT * FROM (
                    SELECT not_before FROM delivery INDEXED BY delivery_due
                    WHERE observer = \(Self.observerKey) AND state = \(Schema.pending) AND recent = 0
                    ORDER BY not_before LIMIT 1
                )
                UNION ALL
                SELECT * FROM (
                    SELECT not_before FROM delivery INDEXED BY delivery_recent
                    WHERE observer = \(Self.observerKey) AND recent = 1 ORDER BY event LIMIT 1
                )
            )
            """
        )
        statement.bind(observer, at: 1)
        return try statement.first { $0.optionalInteger(0).map(Timestamp.init(milliseconds:)) } ?? nil
    }

    /// The counters.
    func stats(of observer: String) throws -> DeliveryStats {
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT delivered, failed, pending, dead, last_status, last_attempt_at, last_failure, failing_since
            FROM delivery_stats
            WHERE observer = \(Self.observerKey)
            """
        )
        statement.bind(observer, at: 1)
        let stats = try statement.first { row in
            DeliveryStats(
                delivered: Int(row.integer(0)),
                failed: Int(row.integer(1)),
                pending: Int(row.integer(2)),
                deadLetters: Int(row.integer(3)),
                lastStatus: row.optionalInteger(4).map { Int($0) },
                lastFailure: row.optionalText(6),
                lastAttemptAt: row.optionalInteger(5).map(Timestamp.init(milliseconds:)),
                failingSince: row.optionalInteger(7).map(Timestamp.init(milliseconds:))
            )
        }
        return stats ?? DeliveryStats()
    }

    private mutating func records(
        of observer: String,
        _ index: String,
        _ condition: String,
        limit: Int,
        now: Timestamp?
    ) throws -> [DeliveryRecord] {
        // CROSS JOIN keeps SQLite to this order: deliveries by their index, and each one's event by its position.
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT \(EventReader.columns), delivery.id, renewals, attempts, not_before
            FROM delivery \(index) CROSS JOIN event ON seq = delivery.event
            WHERE observer = \(Self.observerKey) \(condition)
            """
        )
        statement.bind(observer, at: 1)
        statement.bind(Int64(max(limit, 0)), at: 2)
        if let now { statement.bind(now.milliseconds, at: 3) }
        var records: [DeliveryRecord] = []
        try statement.forEach { row in
            // Also of a topic that was deleted, until its rows are.
            let event = events.event(row, topic: try events.stored(row.integer(1)).topic)
            let column = EventReader.columnCount
            records.append(
                DeliveryRecord(
                    id: row.integer(column),
                    observer: observer,
                    event: event,
                    renewals: row.integer(column + 1),
                    attempts: Int(row.integer(column + 2)),
                    notBefore: Timestamp(milliseconds: row.integer(column + 3))
                )
            )
        }
        return records
    }
}
