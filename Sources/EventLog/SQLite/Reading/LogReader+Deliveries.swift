extension SQLiteEventLog {
    package func dueDeliveries(
        of observer: ObserverID,
        at now: Timestamp,
        inOrder isInOrder: Bool,
        limit: Int,
        byteLimit: Int
    ) async throws(EventLogError) -> DueDeliveries {
        try await read { reader in
            let none = DueBuilder(limit: limit, byteLimit: byteLimit)
            let until = isInOrder ? .latest : now
            var due = try reader.adding(failedOf: observer, inOrder: isInOrder, until: until, to: none)
            guard isInOrder else {
                due = try reader.adding(untriedBy: observer, at: now, to: due)
                let next = due.hasBytes ? now : try reader.nextDelivery(of: observer, after: now)
                return DueDeliveries(deliveries: due.deliveries, next: next)
            }
            let untried = try reader.adding(untriedBy: observer, at: now, to: none)
            // Neither is at its end before both together are full.
            due = (due.deliveries + untried.deliveries).sorted { $0.event.position < $1.event.position }
                .reduce(into: none) { if !$0.isFull { $0.add($1) } }
            return DueDeliveries(deliveries: due.deliveries, next: due.hasBytes ? now : nil)
        }
    }
}

/// What is due, in the making.
private struct DueBuilder {
    let limit: Int
    let byteLimit: Int
    private(set) var deliveries: [DeliveryRecord] = []
    private var bytes = 0

    init(limit: Int, byteLimit: Int) { (self.limit, self.byteLimit) = (limit, byteLimit) }

    var hasBytes: Bool { bytes >= byteLimit && !deliveries.isEmpty }
    var isFull: Bool { deliveries.count >= limit || hasBytes }

    mutating func add(_ delivery: DeliveryRecord) {
        bytes += delivery.event.cost
        deliveries.append(delivery)
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
    fileprivate mutating func adding(untriedBy observer: ObserverID, at now: Timestamp, to due: DueBuilder) throws
        -> DueBuilder
    {
        guard !due.isFull, let subscription = try Subscription(of: observer, db) else { return due }
        var due = due
        let all = Stretch(after: 0, through: try Self.tail(db))
        for position in try allUntried(by: subscription, in: all, count: due.limit - due.deliveries.count) {
            guard !due.isFull else { break }
            guard let event = try event(at: Position(position)) else { continue }
            // Events are stamped by the clock of the day, which may be ahead.
            due.add(DeliveryRecord(observer: observer, event: event, attempts: 0, notBefore: min(event.time, now)))
        }
        return due
    }

    /// Those that are to be tried again: not of a topic that was deleted, whose rows go later.
    fileprivate mutating func adding(
        failedOf observer: ObserverID,
        inOrder isInOrder: Bool,
        until now: Timestamp,
        to due: DueBuilder
    ) throws -> DueBuilder {
        var due = due
        guard !due.isFull else { return due }
        // CROSS JOIN keeps SQLite to this order: deliveries by their index, and each one's event by its position.
        try db.cached(
            """
            SELECT \(Self.columns), renewals, attempts, not_before
            FROM delivery INDEXED BY \(isInOrder ? "delivery_state" : "delivery_due") CROSS JOIN event ON seq = delivery.event
            WHERE observer = \(Self.observerKey) AND state = \(LogSchema.pending) AND not_before <= ?2
                AND seq > (SELECT removed FROM topic WHERE topic.id = event.topic)
            ORDER BY \(isInOrder ? "" : "not_before, ")delivery.event
            """
        ).bind(observer, now).prefix { row in
            let column = Self.columnCount
            due.add(
                DeliveryRecord(
                    observer: observer,
                    event: event(row, topic: try stored(row.integer(1)).topic),
                    renewals: row[column],
                    attempts: Int(min(row.integer(column + 1), DeliveryAttempt.mostBefore)),
                    notBefore: row[column + 2]
                )
            )
            return !due.isFull
        }
        return due
    }
}
