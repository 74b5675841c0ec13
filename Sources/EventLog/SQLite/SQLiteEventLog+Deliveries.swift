internal import GRDB

extension SQLiteEventLog: DeliveryLog {
    package var now: Timestamp { time.now }

    package func timeOfDay(at time: Timestamp) -> Timestamp { self.time.timeOfDay(at: time) }

    package func dueDeliveries(
        of observer: ObserverID,
        at now: Timestamp,
        inOrder isInOrder: Bool,
        limit: Int
    ) async throws(EventLogError) -> DueDeliveries {
        try await read { reader in
            try reader.dueDeliveries(of: observer, at: now, inOrder: isInOrder, limit: limit)
        }
    }

    package func recordOutcomes(
        _ outcomes: [DeliveryOutcome],
        completion: @escaping @Sendable (Result<[ObserverID: Duration], EventLogError>) -> Void
    ) {
        record(outcomes, hasLowPriority: true, completion)
    }

    /// Records how attempts went.
    /// - Parameter hasLowPriority: false for a copy: no append that comes later goes before it.
    package func record(
        _ outcomes: [DeliveryOutcome],
        hasLowPriority: Bool,
        _ completion: @escaping @Sendable (Result<[ObserverID: Duration], EventLogError>) -> Void
    ) {
        let change = LogChange(makesRoom: true, completion) { tables in
            tables.schedule.committed(rows: outcomes.count)
            return try tables.deliveries.record(outcomes)
        }
        sequencer.enqueue(.change(change), isBounded: false, hasLowPriority: hasLowPriority)
    }

    package func abandonDeliveries(
        of observer: ObserverID,
        failure: String,
        at now: Timestamp
    ) async throws(EventLogError) -> Int {
        let last = tail.rawValue
        var total = 0
        while true {
            let abandoned = try await longChange { tables in
                try tables.deliveries.abandon(upTo: last, of: observer, failure: failure, at: now)
            }
            total += abandoned.count
            if abandoned.isAll { return total }
        }
    }

    package func deliveryStats(
        of observers: [ObserverID],
        within time: Duration
    ) async throws(EventLogError) -> [DeliveryStats] {
        let end = ContinuousClock.now + time
        var (found, count) = ([DeliveryStats](), UntriedCount())
        while found.count < observers.count, found.isEmpty || ContinuousClock.now < end {
            if Task.isCancelled { throw .nobodyWaits }
            let rest = observers[found.count...]
            let (more, next) = try await readSlice { [count] reader, backlogs in
                var (rows, count) = (LogReader.slice, count)
                var more: [DeliveryStats] = []
                for observer in rest where rows > 0 {
                    guard let stats = try reader.deliveryStats(of: observer, &count, knowing: backlogs, rows: &rows)
                    else { break }
                    more.append(stats)
                    count = UntriedCount()
                }
                return (more, count)
            }
            found += more
            count = next
        }
        return found
    }

    package func deliveries(
        of observer: ObserverID,
        in state: DeliveryState?,
        before event: Position,
        limit: Int
    ) async throws(EventLogError) -> [DeliverySummary] {
        let mayBeUntried = state == nil || state == .pending
        let untried = mayBeUntried ? try await untried(by: observer, before: event.rawValue, limit: limit) : []
        return try await read { reader in
            try reader.deliverySummaries(of: observer, in: state, before: event, limit: limit, untried: untried)
        }.map { $0.byTheClock(time) }
    }

    /// Few may be wanted among much that is not: looked for in slices, and no longer than somebody waits.
    private func untried(
        by observer: ObserverID,
        before event: Int64,
        limit: Int
    ) async throws(EventLogError) -> [Int64] {
        var (found, next) = ([Int64](), Optional(event))
        while let before = next, found.count < limit {
            if Task.isCancelled { throw .nobodyWaits }
            let rest = limit - found.count
            let part = try await readSlice { reader, _ in
                try reader.untried(by: observer, before: before, limit: rest)
            }
            found += part.positions
            next = part.end
        }
        return found
    }

    package func delivery(
        of event: Position,
        to observer: ObserverID
    ) async throws(EventLogError) -> (summary: DeliverySummary, attempts: [DeliveryAttempt])? {
        let found = try await read { reader in try reader.delivery(of: event, to: observer) }
        return found.map { ($0.summary.byTheClock(time), $0.attempts) }
    }

    package func deadLetters(
        of observer: ObserverID,
        after: Position,
        through: Position,
        limit: Int
    ) async throws(EventLogError) -> [Position] {
        try await read { reader in
            try reader.db.cached(
                """
                SELECT event FROM delivery INDEXED BY delivery_state
                WHERE observer = \(LogReader.observerKey) AND state = \(LogSchema.dead) AND event > ?2 AND event <= ?3
                ORDER BY event LIMIT ?4
                """
            ).bind(observer, after, through, max(limit, 0)).map { $0[0] }
        }
    }

    package func redeliver(
        _ events: [Position],
        to observer: ObserverID,
        at now: Timestamp
    ) async throws(EventLogError) -> Int? {
        var (total, rest) = (0, events[...])
        while !rest.isEmpty {
            let part = rest.prefix(DeliveryWriter.redeliveriesAtOnce)
            rest = rest.dropFirst(part.count)
            let count = try await longChange { tables in
                try tables.deliveries.redeliver(part, to: observer, at: now)
            }
            guard let count else { return nil }
            total += count
        }
        return total
    }
}

extension DeliverySummary {
    /// With its next attempt as the clock of the day will show it.
    fileprivate func byTheClock(_ time: LogClock) -> DeliverySummary {
        var summary = self
        summary.notBefore = notBefore.map(time.timeOfDay(at:)) ?? createdAt
        return summary
    }
}
