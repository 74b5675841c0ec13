extension SQLiteEventLog: DeliveryLog {
    package var now: Timestamp { time.now }

    package var timeOfDay: Timestamp { time.timeOfDay() }

    package func timeOfDay(at time: Timestamp) -> Timestamp { self.time.timeOfDay(at: time) }

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
        // A page each, and what its delivery and its endpoint's counters take in others. What a power cut takes is attempted again.
        let bytes = 8_192 * outcomes.count
        let change = LogChange(makesRoom: true, lastingBytes: bytes, awaitsDisk: false, completion) { tables in
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
            let rest = observers[found.count...]
            let (more, next) = try await readSlice { [count] reader, backlogs in
                var (rows, count) = (LogReader.slice, count)
                var more: [DeliveryStats] = []
                for observer in rest where rows > 0 {
                    rows -= LogReader.observerCost
                    var stats = try reader.deliveryCounters(of: observer)
                    if let place = try Subscription(of: observer, reader.db) {
                        let untried = try reader.countUntried(by: place, &count, knowing: backlogs, rows: &rows)
                        guard let untried else { break }
                        stats.pending += untried
                    }
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

    package func redeliver(
        _ events: [Position],
        to observer: ObserverID,
        createdAt: Timestamp?,
        at now: Timestamp
    ) async throws(EventLogError) -> Int? {
        var (total, rest) = (0, events[...])
        while !rest.isEmpty {
            let part = rest.prefix(DeliveryWriter.redeliveriesAtOnce)
            rest = rest.dropFirst(part.count)
            let count = try await longChange { tables in
                try tables.deliveries.redeliver(part, to: observer, createdAt: createdAt, at: now)
            }
            guard let count else { return nil }
            total += count
        }
        return total
    }
}
