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

    /// The pending deliveries that are due, first what is to be tried again, and when more are.
    mutating func due(of observer: ObserverID, at now: Timestamp, limit: Int) throws -> DueDeliveries {
        let failed = try failed(of: observer, .byTime, limit: limit, until: now)
        let untried = try untried(by: observer, limit: limit - failed.count, at: now)
        return DueDeliveries(deliveries: failed + untried, next: try next(of: observer, after: now))
    }

    /// The pending deliveries in sequence order, due or not.
    mutating func pending(of observer: ObserverID, at now: Timestamp, limit: Int) throws -> DueDeliveries {
        let failed = try failed(of: observer, .bySequence, limit: limit, until: .latest)
        let untried = try untried(by: observer, limit: limit, at: now)
        let found = (failed + untried).sorted { $0.event.position < $1.event.position }
        return DueDeliveries(deliveries: Array(found.prefix(max(limit, 0))), next: nil)
    }

    /// The counters, with those that were never tried.
    /// - Parameters:
    ///   - count: how far the count of those has come.
    ///   - rows: how many events may be looked at, more or less.
    /// - Returns: nil if those were not enough: see ``EventReader/countUntried(by:_:knowing:rows:)``.
    mutating func stats(
        of observer: ObserverID,
        _ count: inout UntriedCount,
        knowing backlogs: CountedBacklogs,
        rows: inout Int
    ) throws -> DeliveryStats? {
        rows -= EventReader.observerCost
        var stats = try counters(of: observer)
        guard let subscription = try Subscription(of: observer, db) else { return stats }
        guard let untried = try events.countUntried(by: subscription, &count, knowing: backlogs, rows: &rows) else {
            return nil
        }
        stats.pending += untried
        return stats
    }

    /// The counters as they are stored: `pending` is without those that were never tried.
    func counters(of observer: ObserverID) throws -> DeliveryStats {
        let row = try db.cached(
            """
            SELECT delivered, failed, pending, dead, last_status, last_failure, last_attempt_at, failing_since
            FROM delivery_stats
            WHERE observer = \(Self.observerKey)
            """,
            observer
        )
        let stats = try row.first {
            DeliveryStats(
                delivered: $0[0],
                failed: $0[1],
                pending: $0[2],
                deadLetters: $0[3],
                lastStatus: $0[4],
                lastFailure: $0[5],
                lastAttemptAt: $0[6],
                failingSince: $0[7]
            )
        }
        return stats ?? DeliveryStats()
    }

    /// When the first delivery is tried again whose time has not come.
    private func next(of observer: ObserverID, after now: Timestamp) throws -> Timestamp? {
        try db.cached(
            """
            SELECT min(not_before) FROM delivery INDEXED BY delivery_due
            WHERE observer = \(Self.observerKey) AND state = \(LogSchema.pending) AND not_before > ?2
            """
        ).bind(observer, now).first { $0[0] as Timestamp? } ?? nil
    }

    /// The first that were never tried: they wait for nothing.
    private mutating func untried(by observer: ObserverID, limit: Int, at now: Timestamp) throws -> [DeliveryRecord] {
        guard limit > 0, let subscription = try Subscription(of: observer, db) else { return [] }
        let all = EventReader.Stretch(after: 0, through: try EventReader.tail(db))
        return try events.allUntried(by: subscription, in: all, count: limit).compactMap { position in
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
        of observer: ObserverID,
        _ order: Order,
        limit: Int,
        until now: Timestamp
    ) throws -> [DeliveryRecord] {
        // CROSS JOIN keeps SQLite to this order: deliveries by their index, and each one's event by its position.
        try db.cached(
            """
            SELECT \(EventReader.columns), renewals, attempts, not_before
            FROM delivery \(order.rawValue) CROSS JOIN event ON seq = delivery.event
            WHERE observer = \(Self.observerKey) AND state = \(LogSchema.pending) AND not_before <= ?3
            ORDER BY \(order.columns) LIMIT ?2
            """
        ).bind(observer, max(limit, 0), now).map { row in
            let column = EventReader.columnCount
            return DeliveryRecord(
                observer: observer,
                // Also of a topic that was deleted, until its rows are.
                event: events.event(row, topic: try events.stored(row.integer(1)).topic),
                renewals: row[column],
                attempts: row[column + 1],
                notBefore: row[column + 2]
            )
        }
    }
}
