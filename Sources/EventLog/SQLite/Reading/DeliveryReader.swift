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

    /// How many events are looked at in one part of a search.
    private static let scanned = 10_000

    /// The pending deliveries that are due, the longest due first, and when more are.
    mutating func due(of observer: String, at now: Timestamp, limit: Int) throws -> DueDeliveries {
        let failed = try failed(of: observer, .byTime, limit: limit, until: now)
        let untried = try untried(by: observer, limit: limit, at: now)
        // Both are sorted already, as a rule.
        let found = (failed + untried).sorted { ($0.notBefore, $0.event.position) < ($1.notBefore, $1.event.position) }
        return DueDeliveries(deliveries: Array(found.prefix(max(limit, 0))), next: try next(of: observer, after: now))
    }

    /// The pending deliveries in sequence order, due or not.
    mutating func pending(of observer: String, at now: Timestamp, limit: Int) throws -> DueDeliveries {
        let failed = try failed(of: observer, .bySequence, limit: limit)
        let untried = try untried(by: observer, limit: limit, at: now)
        let found = (failed + untried).sorted { $0.event.position < $1.event.position }
        return DueDeliveries(deliveries: Array(found.prefix(max(limit, 0))), next: nil)
    }

    /// The counters.
    mutating func stats(of observer: String) throws -> DeliveryStats {
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
        guard var stats, let subscription = try Subscription(of: observer, db) else { return DeliveryStats() }
        var known: [EventReader.Wanted: Int] = [:]
        stats.pending += try events.countUntried(by: subscription, remembering: &known)
        return stats
    }

    /// When the first delivery is tried again whose time has not come.
    private func next(of observer: String, after now: Timestamp) throws -> Timestamp? {
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT min(not_before) FROM delivery INDEXED BY delivery_due
            WHERE observer = \(Self.observerKey) AND state = \(Schema.pending) AND not_before > ?2
            """
        )
        statement.bind(observer, at: 1)
        statement.bind(now.milliseconds, at: 2)
        return try statement.first { $0.optionalInteger(0).map(Timestamp.init(milliseconds:)) } ?? nil
    }

    /// The first that were never tried: they wait for nothing.
    private mutating func untried(by observer: String, limit: Int, at now: Timestamp) throws -> [DeliveryRecord] {
        guard limit > 0, let subscription = try Subscription(of: observer, db) else { return [] }
        let search = EventReader.UntriedSearch(
            through: try EventReader.tail(db),
            count: limit,
            scanning: Self.scanned
        )
        return try events.allUntried(by: subscription, search).compactMap { position in
            try events.event(at: Position(position)).map { event in
                // Events are stamped by the clock of the day, which may be ahead.
                DeliveryRecord(observer: observer, event: event, attempts: 0, notBefore: min(event.time, now))
            }
        }
    }

    private enum Order: String {
        case bySequence = "INDEXED BY delivery_state"
        case byTime = "INDEXED BY delivery_due"

        var columns: String { self == .byTime ? "not_before, delivery.event" : "delivery.event" }
    }

    /// Those that are to be tried again.
    private mutating func failed(
        of observer: String,
        _ order: Order,
        limit: Int,
        until now: Timestamp = Timestamp(milliseconds: .max)
    ) throws -> [DeliveryRecord] {
        // CROSS JOIN keeps SQLite to this order: deliveries by their index, and each one's event by its position.
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT \(EventReader.columns), renewals, attempts, not_before
            FROM delivery \(order.rawValue) CROSS JOIN event ON seq = delivery.event
            WHERE observer = \(Self.observerKey) AND state = \(Schema.pending) AND not_before <= ?3
            ORDER BY \(order.columns) LIMIT ?2
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
                    observer: observer,
                    event: event,
                    renewals: row.integer(column),
                    attempts: Int(row.integer(column + 1)),
                    notBefore: Timestamp(milliseconds: row.integer(column + 2))
                )
            )
        }
        return records
    }
}
