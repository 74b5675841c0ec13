internal import GRDB

extension SQLiteEventLog: DeliveryLog {
    /// The time by which deliveries are due: see ``DeliveryLog/now``.
    public var now: Timestamp { time.now }

    /// What a clock on the wall shows then: see ``DeliveryLog/timeOfDay(at:)``.
    public func timeOfDay(at time: Timestamp) -> Timestamp { self.time.timeOfDay(at: time) }

    /// The pending deliveries whose time has come: see ``DeliveryLog/dueDeliveries(of:at:limit:)``.
    public func dueDeliveries(
        of observer: String,
        at now: Timestamp,
        limit: Int
    ) async throws(EventLogError) -> [DeliveryRecord] {
        try await readDeliveries(of: observer, isEnough: { found, _ in found.count >= limit }) { [epoch] db in
            var reader = DeliveryReader(db, epoch: epoch)
            return try reader.due(of: observer, at: now, limit: limit)
        }
    }

    /// The pending deliveries in sequence order: see ``DeliveryLog/pendingDeliveries(of:limit:)``.
    public func pendingDeliveries(of observer: String, limit: Int) async throws(EventLogError) -> [DeliveryRecord] {
        let isEnough = { @Sendable (found: [DeliveryRecord], deferred: Position) in
            // Those without rows would come after these.
            found.count >= limit && found.last.map { $0.event.position < deferred } ?? true
        }
        return try await readDeliveries(of: observer, isEnough: isEnough) { [epoch] db in
            var reader = DeliveryReader(db, epoch: epoch)
            return try reader.pending(of: observer, limit: limit)
        }
    }

    /// When the first pending delivery is due.
    public func nextDelivery(of observer: String) async throws(EventLogError) -> Timestamp? {
        try await readDeliveries(of: observer) { [epoch] db in try DeliveryReader(db, epoch: epoch).next(of: observer) }
    }

    /// Records how attempts went: see ``DeliveryLog/recordOutcomes(_:)``.
    @discardableResult
    public func recordOutcomes(_ outcomes: [DeliveryOutcome]) async throws(EventLogError) -> [String: Duration] {
        try await change(hasTime: true, needsDeliveries: false) { writer, _ in try writer.record(outcomes) }
    }

    /// Makes every pending delivery of an observer a dead letter: see ``DeliveryLog/abandonDeliveries(of:failure:at:)``.
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
        try await readDeliveries(of: observer) { [epoch] db in try DeliveryReader(db, epoch: epoch).stats(of: observer)
        }
    }

    /// An observer's deliveries: see ``DeliveryLog/deliveries(of:in:before:limit:)``.
    public func deliveries(
        of observer: String,
        in state: DeliveryState?,
        before event: Position,
        limit: Int
    ) async throws(EventLogError) -> [DeliverySummary] {
        try await readDeliveries(of: observer) { [epoch] db in
            try DeliveryReader(db, epoch: epoch).summaries(of: observer, in: state, before: event, limit: limit)
        }.map { $0.byTheClock(time) }
    }

    /// What became of one event for one observer: see ``DeliveryLog/delivery(of:to:)``.
    public func delivery(
        of event: Position,
        to observer: String
    ) async throws(EventLogError) -> (summary: DeliverySummary, attempts: [DeliveryAttempt])? {
        let found = try await readDeliveries(of: observer) { [epoch] db in
            try DeliveryReader(db, epoch: epoch).delivery(of: event, to: observer)
        }
        return found.map { ($0.summary.byTheClock(time), $0.attempts) }
    }

    /// The events of dead letters: see ``DeliveryLog/deadLetters(of:after:through:limit:)``.
    public func deadLetters(
        of observer: String,
        after: Position,
        through: Position,
        limit: Int
    ) async throws(EventLogError) -> [Position] {
        try await readDeliveries(of: observer) { [epoch] db in
            let reader = DeliveryReader(db, epoch: epoch)
            return try reader.deadLetters(of: observer, after: after, through: through, limit: limit)
        }
    }

    /// Has events delivered to an observer: see ``DeliveryLog/redeliver(_:to:at:)``.
    public func redeliver(
        _ events: [Position],
        to observer: String,
        at now: Timestamp
    ) async throws(EventLogError) -> Int? {
        var (total, rest) = (0, events[...])
        while !rest.isEmpty {
            let part = rest.prefix(LogWriter.redeliveriesAtOnce)
            rest = rest.dropFirst(part.count)
            let count = try await change { writer, db in try writer.redeliver(part, to: observer, at: now, db) }
            guard let count else { return nil }
            total += count
        }
        return total
    }

    /// Reads rows of an observer's deliveries, once all those have one that were committed before.
    /// - Parameter isEnough: whether what was read before that will do, though of events from a position on rows may be
    ///   missing.
    private func readDeliveries<Value: Sendable>(
        of observer: String,
        isEnough: ((Value, Position) -> Bool)? = nil,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(EventLogError) -> Value {
        // Looked at before it is read: what gets its row meanwhile is found.
        if let first = deferrals.firstEvent {
            if let isEnough {
                let found = try await read(body)
                if isEnough(found, Position(first)) { return found }
            }
            try await writeBacklog()
            try await change(hasTime: true, needsDeliveries: false) { writer, _ in
                try writer.writeDeferred(of: observer)
            }
        }
        return try await read(body)
    }
}

extension DeliverySummary {
    /// With its next attempt as the clock of the day will show it.
    fileprivate func byTheClock(_ time: LogClock) -> DeliverySummary {
        var summary = self
        summary.notBefore = time.timeOfDay(at: notBefore)
        return summary
    }
}
