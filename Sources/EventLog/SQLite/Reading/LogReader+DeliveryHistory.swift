internal import GRDB

extension LogReader {
    private static let summaryColumns = """
        delivery.event, topic.name, event.type, delivery.state, delivery.attempts, delivery.status, delivery.failure,
        delivery.not_before, delivery.attempted_at, ifnull(delivery.created_at, event.time), delivery.id
        """

    /// CROSS JOIN keeps SQLite to this order; what is gone with its topic is not shown, although its rows are there.
    private static let joined = """
        CROSS JOIN event ON event.seq = delivery.event
        CROSS JOIN topic ON topic.id = event.topic AND event.seq > topic.removed
        """

    /// The deliveries of the newest events first.
    /// - Parameter untried: positions of those that had never been tried a moment ago, as many as are wanted.
    mutating func deliverySummaries(
        of observer: ObserverID,
        in state: DeliveryState?,
        before event: Position,
        limit: Int,
        untried: [Int64]
    ) throws -> [DeliverySummary] {
        // The index has the events of each state in order.
        let rows = try db.cached(
            """
            SELECT \(Self.summaryColumns) FROM delivery INDEXED BY delivery_state \(Self.joined)
            WHERE delivery.observer = \(Self.observerKey) AND delivery.state = ?2 AND delivery.event < ?3
            ORDER BY delivery.event DESC LIMIT ?4
            """
        )
        var found = try (state.map { [$0] } ?? DeliveryState.allCases).flatMap { state in
            try rows.bind(observer, state.number, event, max(limit, 0)).map(deliverySummary)
        }
        if !untried.isEmpty, let subscription = try Subscription(of: observer, db) {
            // Meanwhile some may have been tried, or be gone.
            found += try untried.compactMap { try isUntried($0, by: subscription) ? deliverySummary(untried: $0) : nil }
        }
        return Array(found.sorted { $0.event.position > $1.event.position }.prefix(max(limit, 0)))
    }

    /// Looks for those that were never tried, of the newest events first, for one slice.
    mutating func untried(by observer: ObserverID, before event: Int64, limit: Int) throws -> Found {
        guard limit > 0, let subscription = try Subscription(of: observer, db) else { return Found() }
        let last = min(max(event, 1) - 1, try LogReader.tail(db))
        let before = Stretch(after: 0, through: last, newestFirst: true)
        return try untried(by: subscription, in: before, count: limit, scanning: Self.slice)
    }

    private mutating func isUntried(_ event: Int64, by subscription: Subscription) throws -> Bool {
        try !allUntried(by: subscription, after: event - 1, through: event, count: 1).isEmpty
    }

    /// A delivery that was never tried.
    private func deliverySummary(untried event: Int64) throws -> DeliverySummary? {
        try db.cached(
            """
            SELECT seq, name, type, \(LogSchema.pending), 0, NULL, NULL, \(Timestamp.earliest.milliseconds), NULL, time
            FROM event CROSS JOIN topic ON topic.id = event.topic WHERE seq = ?1
            """,
            event
        ).first(deliverySummary)
    }

    /// What became of one event for one observer, and its attempts, oldest first.
    mutating func delivery(
        of event: Position,
        to observer: ObserverID
    ) throws -> (summary: DeliverySummary, attempts: [DeliveryAttempt])? {
        let row = try db.cached(
            """
            SELECT \(Self.summaryColumns) FROM delivery INDEXED BY delivery_event \(Self.joined)
            WHERE delivery.event = ?2 AND delivery.observer = \(Self.observerKey)
            """
        ).bind(observer, event)
        if let found = try row.first({ (summary: try deliverySummary($0), id: $0.integer(10)) }) {
            return (found.summary, try attempts(of: found.id))
        }
        guard event > .start, let subscription = try Subscription(of: observer, db) else { return nil }
        guard try isUntried(event.rawValue, by: subscription) else { return nil }
        return try deliverySummary(untried: event.rawValue).map { ($0, []) }
    }

    /// How the attempts of a delivery went. The oldest is where the next one will be, once the ring is full; before, places
    /// behind it are empty.
    private func attempts(of delivery: Int64) throws -> [DeliveryAttempt] {
        let ring = LogSchema.attemptsPerDelivery
        return try db.cached(
            """
            SELECT number, ended_at, duration, connected, secured, answered, status, failure, message, response
            FROM attempt WHERE id >= ?1 * \(ring) AND id < (?1 + 1) * \(ring)
            ORDER BY (id + \(ring) - (SELECT logged % \(ring) FROM delivery WHERE delivery.id = ?1)) % \(ring)
            """,
            delivery
        ).map { row in
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

    private func deliverySummary(_ row: PreparedStatement) throws -> DeliverySummary {
        let number = row.integer(3)
        guard let state = DeliveryState.allCases.first(where: { $0.number == number }) else {
            throw EventLogError(code: .corrupt, message: "A delivery is in a state that there is not.")
        }
        let notBefore: Timestamp = row[7]
        return DeliverySummary(
            event: EventID(epoch: epoch, position: row[0]),
            topic: row[1],
            type: row[2],
            state: state,
            attempts: row[4],
            status: row[5],
            failure: row[6],
            notBefore: notBefore == .earliest ? nil : notBefore,
            attemptedAt: row[8],
            createdAt: row[9]
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
