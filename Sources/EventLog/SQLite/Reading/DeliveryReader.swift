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
        try records(
            of: observer,
            "INDEXED BY delivery_due",
            "AND state = \(Schema.pending) AND not_before <= ?3 ORDER BY not_before, delivery.event LIMIT ?2",
            limit: limit,
            now: now
        )
    }

    /// The pending deliveries in sequence order.
    mutating func pending(of observer: String, limit: Int) throws -> [DeliveryRecord] {
        try records(
            of: observer,
            "INDEXED BY delivery_state",
            "AND state = \(Schema.pending) ORDER BY delivery.event LIMIT ?2",
            limit: limit,
            now: nil
        )
    }

    /// When the first pending delivery is due.
    func next(of observer: String) throws -> Timestamp? {
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT not_before FROM delivery INDEXED BY delivery_due
            WHERE observer = \(Self.observerKey) AND state = \(Schema.pending) ORDER BY not_before LIMIT 1
            """
        )
        statement.bind(observer, at: 1)
        return try statement.first { Timestamp(milliseconds: $0.integer(0)) }
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
