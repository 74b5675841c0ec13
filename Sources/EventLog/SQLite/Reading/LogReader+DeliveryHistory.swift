extension SQLiteEventLog {
    package func deliveries(
        of observer: ObserverID,
        in state: DeliveryState?,
        before event: Position,
        limit: Int
    ) async throws(EventLogError) -> [DeliverySummary] {
        let mayBeUntried = state == nil || state == .pending
        let untried = mayBeUntried ? try await untried(by: observer, before: event.rawValue, limit: limit) : []
        return try await read { [time] reader in
            // The index has the events of each state in order.
            let rows = try reader.db.cached(
                """
                SELECT \(LogReader.summaryColumns) FROM delivery INDEXED BY delivery_state \(LogReader.joined)
                WHERE delivery.observer = \(LogReader.observerKey) AND delivery.state = ?2 AND delivery.event < ?3
                ORDER BY delivery.event DESC LIMIT ?4
                """
            )
            var found = try (state.map { [$0] } ?? DeliveryState.allCases).flatMap { state in
                try rows.bind(observer, state.number, event, max(limit, 0)).map { try reader.deliverySummary($0, time) }
            }
            if !untried.isEmpty, let subscription = try Subscription(of: observer, reader.db) {
                // Meanwhile some may have been tried, or be gone.
                for event in untried where try reader.isUntried(event, by: subscription) {
                    found += try reader.deliverySummary(untried: event, time).map { [$0] } ?? []
                }
            }
            return Array(found.sorted { $0.event.position > $1.event.position }.prefix(max(limit, 0)))
        }
    }

    /// Few may be wanted among much that is not: looked for in slices, the newest first, and no longer than somebody waits.
    private func untried(by id: ObserverID, before end: Int64, limit: Int) async throws(EventLogError) -> [Int64] {
        var (found, next) = ([Int64](), Optional(end))
        while let before = next, found.count < limit {
            let rest = limit - found.count
            let part = try await readSlice { reader, _ in
                guard let subscription = try Subscription(of: id, reader.db) else { return LogReader.Found() }
                let last = min(max(before, 1) - 1, try LogReader.tail(reader.db))
                let stretch = LogReader.Stretch(after: 0, through: last, newestFirst: true)
                return try reader.untried(by: subscription, in: stretch, count: rest, scanning: LogReader.slice)
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
        try await read { [time] reader in
            let row = try reader.db.cached(
                """
                SELECT \(LogReader.summaryColumns) FROM delivery INDEXED BY delivery_event \(LogReader.joined)
                WHERE delivery.event = ?2 AND delivery.observer = \(LogReader.observerKey)
                """
            ).bind(observer, event)
            if let found = try row.first({ (summary: try reader.deliverySummary($0, time), id: $0.integer(10)) }) {
                return (found.summary, try reader.attempts(of: found.id))
            }
            guard event > .start, let subscription = try Subscription(of: observer, reader.db),
                try reader.isUntried(event.rawValue, by: subscription)
            else { return nil }
            return try reader.deliverySummary(untried: event.rawValue, time).map { ($0, []) }
        }
    }

    package func deadLetters(
        of observer: ObserverID,
        after: Position,
        through: Position,
        limit: Int
    ) async throws(EventLogError) -> [(event: Position, topic: Topic?)] {
        try await read { reader in
            // Not more than so many rows, whatever of their events is left.
            try reader.db.cached(
                """
                SELECT dead.event, topic.name FROM (
                    SELECT event FROM delivery INDEXED BY delivery_state
                    WHERE observer = \(LogReader.observerKey) AND state = \(LogSchema.dead) AND event > ?2 AND event <= ?3
                    ORDER BY event LIMIT ?4
                ) AS dead
                LEFT JOIN event ON event.seq = dead.event
                LEFT JOIN topic ON topic.id = event.topic AND event.seq > topic.removed
                ORDER BY dead.event
                """
            ).bind(observer, after, through, max(limit, 0)).map { ($0[0], $0[1]) }
        }
    }
}

extension LogReader {
    fileprivate static let summaryColumns = """
        delivery.event, topic.name, event.type, delivery.state, delivery.attempts, delivery.status, delivery.failure,
        delivery.not_before, delivery.attempted_at, ifnull(delivery.created_at, event.time), delivery.id
        """

    /// CROSS JOIN keeps SQLite to this order; what is gone with its topic is not shown, although its rows are there.
    fileprivate static let joined = """
        CROSS JOIN event ON event.seq = delivery.event
        CROSS JOIN topic ON topic.id = event.topic AND event.seq > topic.removed
        """

    fileprivate mutating func isUntried(_ event: Int64, by subscription: Subscription) throws -> Bool {
        try !allUntried(by: subscription, in: Stretch(after: event - 1, through: event), count: 1).isEmpty
    }

    /// A delivery that was never tried.
    fileprivate func deliverySummary(untried event: Int64, _ time: LogClock) throws -> DeliverySummary? {
        try db.cached(
            """
            SELECT seq, name, type, \(LogSchema.pending), 0, NULL, NULL, \(Timestamp.earliest.milliseconds), NULL, time
            FROM event CROSS JOIN topic ON topic.id = event.topic WHERE seq = ?1
            """
        ).bind(event).first { try deliverySummary($0, time) }
    }

    /// How the attempts of a delivery went. The oldest is where the next one will be, once the ring is full; before, places
    /// behind it are empty.
    fileprivate func attempts(of delivery: Int64) throws -> [DeliveryAttempt] {
        let ring = LogSchema.attemptsPerDelivery
        return try db.cached(
            """
            SELECT number, ended_at, duration, connected, secured, answered, status, failure, message, response
            FROM attempt WHERE id >= ?1 * \(ring) AND id < (?1 + 1) * \(ring)
            ORDER BY (id + \(ring) - (SELECT logged % \(ring) FROM delivery WHERE delivery.id = ?1)) % \(ring)
            """
        ).bind(delivery).map { row in
            DeliveryAttempt(
                number: row[0],
                at: row[1],
                duration: row[2],
                connected: row[3],
                secured: row[4],
                answered: row[5],
                status: row[6],
                failure: row[7],
                message: row[8],
                response: row[9] ?? []
            )
        }
    }

    /// - Parameter time: by which its next attempt is as the clock of the day will show it.
    fileprivate func deliverySummary(_ row: PreparedStatement, _ time: LogClock) throws -> DeliverySummary {
        let number = row.integer(3)
        guard let state = DeliveryState.allCases.first(where: { $0.number == number }) else {
            throw EventLogError(code: .corrupt, message: "A delivery is in a state that there is not.")
        }
        let (notBefore, createdAt): (Timestamp, Timestamp) = (row[7], row[9])
        return DeliverySummary(
            event: EventID(epoch: epoch, position: row[0]),
            topic: row[1],
            type: row[2],
            state: state,
            attempts: row[4],
            status: row[5],
            failure: row[6],
            notBefore: notBefore == .earliest ? createdAt : time.timeOfDay(at: notBefore),
            attemptedAt: row[8],
            createdAt: createdAt
        )
    }
}

extension DeliveryState {
    /// What rows have of it.
    var number: Int64 {
        switch self {
        case .pending: LogSchema.pending
        case .delivered: LogSchema.delivered
        case .dead: LogSchema.dead
        }
    }
}
