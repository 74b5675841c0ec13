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
        // What was never tried waits for nothing.
        let untried = try records(of: observer, .untried, limit: limit)
        let failed = try records(of: observer, .failedByTime, limit: limit, until: now)
        // Both are sorted already, as a rule.
        let found = (failed + untried).sorted { ($0.notBefore, $0.event.position) < ($1.notBefore, $1.event.position) }
        return Array(found.prefix(limit))
    }

    /// The pending deliveries in sequence order.
    mutating func pending(of observer: String, limit: Int) throws -> [DeliveryRecord] {
        let untried = try records(of: observer, .untried, limit: limit)
        let failed = try records(of: observer, .failed, limit: limit)
        return Array((failed + untried).sorted { $0.event.position < $1.event.position }.prefix(limit))
    }

    /// When the first pending delivery is due.
    func next(of observer: String) throws -> Timestamp? {
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT min(not_before) FROM (
                SELECT * FROM (
                    SELECT not_before FROM delivery INDEXED BY delivery_due
                    WHERE observer = \(Self.observerKey) AND state = \(Schema.pending) ORDER BY not_before LIMIT 1
                )
                UNION ALL
                SELECT * FROM (
                    SELECT not_before FROM delivery INDEXED BY delivery_state
                    WHERE observer = \(Self.observerKey) AND state = \(Schema.untried) ORDER BY event LIMIT 1
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
        _ part: PartOfPending,
        limit: Int,
        until now: Timestamp = Timestamp(milliseconds: .max)
    ) throws -> [DeliveryRecord] {
        // CROSS JOIN keeps SQLite to this order: deliveries by their index, and each one's event by its position.
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT \(EventReader.columns), delivery.id, renewals, attempts, not_before
            FROM delivery INDEXED BY \(part.index) CROSS JOIN event ON seq = delivery.event
            WHERE observer = \(Self.observerKey) AND state = \(part.state) AND not_before <= ?3
            ORDER BY \(part.order) LIMIT ?2
            """
        )
        statement.bind(observer, at: 1)
        statement.bind(Int64(max(limit, 0)), at: 2)
        statement.bind(now.milliseconds, at: 3)
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

/// Some of the pending deliveries of an observer, in the order of an index.
private enum PartOfPending {
    /// Those that were never attempted, in sequence order, which is the order of their times, too, but for those that
    /// were made anew.
    case untried
    /// Those that failed, in sequence order.
    case failed
    /// Those that failed, by their times.
    case failedByTime

    var state: Int64 { self == .untried ? Schema.untried : Schema.pending }
    var index: String { self == .failedByTime ? "delivery_due" : "delivery_state" }
    var order: String { self == .failedByTime ? "not_before, delivery.event" : "delivery.event" }
}
