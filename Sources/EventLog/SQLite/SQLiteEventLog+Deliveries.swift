extension SQLiteEventLog: DeliveryLog {
    /// The pending deliveries whose time has come: see ``DeliveryLog/dueDeliveries(of:at:limit:)``.
    public func dueDeliveries(
        of observer: String,
        at now: Timestamp,
        limit: Int
    ) async throws(EventLogError) -> [DeliveryRecord] {
        try await read { [epoch] db in
            var reader = DeliveryReader(db, epoch: epoch)
            return try reader.due(of: observer, at: now, limit: limit)
        }
    }

    /// The pending deliveries in sequence order: see ``DeliveryLog/pendingDeliveries(of:limit:)``.
    public func pendingDeliveries(of observer: String, limit: Int) async throws(EventLogError) -> [DeliveryRecord] {
        try await read { [epoch] db in
            var reader = DeliveryReader(db, epoch: epoch)
            return try reader.pending(of: observer, limit: limit)
        }
    }

    /// When the first pending delivery is due.
    public func nextDelivery(of observer: String) async throws(EventLogError) -> Timestamp? {
        try await read { [epoch] db in try DeliveryReader(db, epoch: epoch).next(of: observer) }
    }

    /// Records how attempts went: see ``DeliveryLog/recordOutcomes(_:)``.
    public func recordOutcomes(_ outcomes: [DeliveryOutcome]) async throws(EventLogError) {
        try await change { writer, _ in try writer.record(outcomes) }
    }

    /// Makes every pending delivery of an observer a dead letter, a part at a time so that posts get their turn between.
    public func abandonDeliveries(
        of observer: String,
        failure: String,
        at now: Timestamp
    ) async throws(EventLogError) -> Int {
        let last = try await change { writer, _ in writer.lastDelivery }
        var total = 0
        while true {
            let count = try await change { writer, db in
                try writer.abandon(upTo: last, of: observer, failure: failure, at: now, db)
            }
            total += count
            if count < LogWriter.rowsAtOnce { return total }
        }
    }

    /// What became of an observer's deliveries.
    public func deliveryStats(of observer: String) async throws(EventLogError) -> DeliveryStats {
        try await read { [epoch] db in try DeliveryReader(db, epoch: epoch).stats(of: observer) }
    }
}
