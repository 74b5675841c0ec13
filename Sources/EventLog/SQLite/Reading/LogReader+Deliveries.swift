internal import GRDB

extension SQLiteEventLog {
    package func dueDeliveries(
        of observer: ObserverID,
        at now: Timestamp,
        inOrder isInOrder: Bool,
        limit: Int
    ) async throws(EventLogError) -> DueDeliveries {
        try await read { reader in
            let until = isInOrder ? .latest : now
            let failed = try reader.failedDeliveries(of: observer, inOrder: isInOrder, limit: limit, until: until)
            let missing = isInOrder ? limit : limit - failed.count
            let found = failed + (try reader.untriedDeliveries(by: observer, limit: missing, at: now))
            guard isInOrder else {
                return DueDeliveries(deliveries: found, next: try reader.nextDelivery(of: observer, after: now))
            }
            let sorted = found.sorted { $0.event.position < $1.event.position }
            return DueDeliveries(deliveries: Array(sorted.prefix(max(limit, 0))), next: nil)
        }
    }
}

extension LogReader {
    static let observerKey = "(SELECT key FROM observer WHERE name = ?1)"

    /// The counters as they are stored: `pending` is without those that were never tried.
    func deliveryCounters(of observer: ObserverID) throws -> DeliveryStats {
        try db.cached(
            """
            SELECT delivered, failed, pending, dead, last_status, last_failure, last_attempt_at, failing_since
            FROM delivery_stats WHERE observer = \(Self.observerKey)
            """
        ).bind(observer).first {
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
        } ?? DeliveryStats()
    }

    /// When the first delivery is tried again whose time has not come.
    fileprivate func nextDelivery(of observer: ObserverID, after now: Timestamp) throws -> Timestamp? {
        try db.cached(
            """
            SELECT min(not_before) FROM delivery INDEXED BY delivery_due
            WHERE observer = \(Self.observerKey) AND state = \(LogSchema.pending) AND not_before > ?2
            """
        ).bind(observer, now).first { $0[0] as Timestamp? } ?? nil
    }

    /// The first that were never tried: they wait for nothing.
    fileprivate mutating func untriedDeliveries(by observer: ObserverID, limit: Int, at now: Timestamp) throws
        -> [DeliveryRecord]
    {
        guard limit > 0, let subscription = try Subscription(of: observer, db) else { return [] }
        let all = Stretch(after: 0, through: try Self.tail(db))
        return try allUntried(by: subscription, in: all, count: limit).compactMap { position in
            try event(at: Position(position)).map { event in
                // Events are stamped by the clock of the day, which may be ahead.
                DeliveryRecord(observer: observer, event: event, attempts: 0, notBefore: min(event.time, now))
            }
        }
    }

    /// Those that are to be tried again: not of a topic that was deleted, whose rows go later.
    fileprivate mutating func failedDeliveries(
        of observer: ObserverID,
        inOrder isInOrder: Bool,
        limit: Int,
        until now: Timestamp
    ) throws -> [DeliveryRecord] {
        // CROSS JOIN keeps SQLite to this order: deliveries by their index, and each one's event by its position.
        try db.cached(
            """
            SELECT \(Self.columns), renewals, attempts, not_before
            FROM delivery INDEXED BY \(isInOrder ? "delivery_state" : "delivery_due") CROSS JOIN event ON seq = delivery.event
            WHERE observer = \(Self.observerKey) AND state = \(LogSchema.pending) AND not_before <= ?3
                AND seq > (SELECT removed FROM topic WHERE topic.id = event.topic)
            ORDER BY \(isInOrder ? "" : "not_before, ")delivery.event LIMIT ?2
            """
        ).bind(observer, max(limit, 0), now).map { row in
            let column = Self.columnCount
            return DeliveryRecord(
                observer: observer,
                event: event(row, topic: try stored(row.integer(1)).topic),
                renewals: row[column],
                attempts: row[column + 1],
                notBefore: row[column + 2]
            )
        }
    }
}
