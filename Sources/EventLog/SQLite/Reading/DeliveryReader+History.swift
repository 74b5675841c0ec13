internal import GRDB

extension DeliveryReader {
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
    mutating func summaries(
        of observer: String,
        in state: DeliveryState?,
        before event: Position,
        limit: Int
    ) throws -> [DeliverySummary] {
        // The index has the events of each state in order.
        var found: [DeliverySummary] = []
        for state in state.map({ [$0] }) ?? DeliveryState.allCases {
            found += try summaries(of: observer, in: state.number, before: event, limit: limit)
        }
        if state == nil || state == .pending { found += try untried(by: observer, before: event, limit: limit) }
        return Array(found.sorted { $0.event.position > $1.event.position }.prefix(max(limit, 0)))
    }

    /// Those that were never tried, of the newest events first.
    private mutating func untried(by observer: String, before event: Position, limit: Int) throws -> [DeliverySummary] {
        guard limit > 0, let subscription = try Subscription(of: observer, db) else { return [] }
        let search = EventReader.UntriedSearch(
            through: min(max(event.rawValue, 1) - 1, try EventReader.tail(db)),
            newestFirst: true,
            count: limit,
            scanning: 10_000
        )
        return try events.allUntried(by: subscription, search).compactMap(untried)
    }

    /// A delivery that was never tried.
    private func untried(_ event: Int64) throws -> DeliverySummary? {
        let row = try PreparedStatement(
            cachedIn: db,
            "SELECT name, type, time FROM event CROSS JOIN topic ON topic.id = event.topic WHERE seq = ?1"
        )
        row.bind(event, at: 1)
        return try row.first { row in
            let time = Timestamp(milliseconds: row.integer(2))
            return DeliverySummary(
                event: EventID(epoch: events.epoch, position: Position(event)),
                topic: Topic(stored: row.text(0)),
                type: row.optionalText(1),
                state: .pending,
                attempts: 0,
                status: nil,
                failure: nil,
                notBefore: nil,
                attemptedAt: nil,
                createdAt: time
            )
        }
    }

    private func summaries(
        of observer: String,
        in state: Int64,
        before event: Position,
        limit: Int
    ) throws -> [DeliverySummary] {
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT \(Self.summaryColumns) FROM delivery INDEXED BY delivery_state \(Self.joined)
            WHERE delivery.observer = \(Self.observerKey) AND delivery.state = ?4 AND delivery.event < ?2
            ORDER BY delivery.event DESC LIMIT ?3
            """
        )
        statement.bind(observer, at: 1)
        statement.bind(event.rawValue, at: 2)
        statement.bind(Int64(max(limit, 0)), at: 3)
        statement.bind(state, at: 4)
        var found: [DeliverySummary] = []
        try statement.forEach { found.append(try summary($0)) }
        return found
    }

    /// What became of one event for one observer, and its attempts, oldest first.
    mutating func delivery(
        of event: Position,
        to observer: String
    ) throws -> (summary: DeliverySummary, attempts: [DeliveryAttempt])? {
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT \(Self.summaryColumns) FROM delivery INDEXED BY delivery_event \(Self.joined)
            WHERE delivery.event = ?2 AND delivery.observer = \(Self.observerKey)
            """
        )
        statement.bind(observer, at: 1)
        statement.bind(event.rawValue, at: 2)
        if let found = try statement.first({ (summary: try summary($0), id: $0.integer(10)) }) {
            return (found.summary, try attempts(of: found.id))
        }
        guard event > .start, let subscription = try Subscription(of: observer, db) else { return nil }
        let search = EventReader.UntriedSearch(
            after: event.rawValue - 1,
            through: event.rawValue,
            count: 1,
            scanning: 1
        )
        guard let found = try events.untried(by: subscription, search).positions.first else { return nil }
        return try untried(found).map { ($0, []) }
    }

    /// The events of dead letters, oldest first.
    func deadLetters(of observer: String, after: Position, through: Position, limit: Int) throws -> [Position] {
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT event FROM delivery INDEXED BY delivery_state
            WHERE observer = \(Self.observerKey) AND state = \(Schema.dead) AND event > ?2 AND event <= ?3
            ORDER BY event LIMIT ?4
            """
        )
        statement.bind(observer, at: 1)
        statement.bind(after.rawValue, at: 2)
        statement.bind(through.rawValue, at: 3)
        statement.bind(Int64(max(limit, 0)), at: 4)
        var found: [Position] = []
        try statement.forEach { found.append(Position($0.integer(0))) }
        return found
    }

    private func attempts(of delivery: Int64) throws -> [DeliveryAttempt] {
        let ring = Schema.attemptsPerDelivery
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT number, ended_at, duration, connected, secured, answered, status, failure, message, response
            FROM attempt
            WHERE id >= ?1 AND id < ?2 ORDER BY (id - ?1 - ?3 + \(ring)) % \(ring)
            """
        )
        statement.bind(delivery * ring, at: 1)
        statement.bind((delivery + 1) * ring, at: 2)
        // The oldest is where the next one will be, once the ring is full; before, places behind it are empty.
        statement.bind(try logged(of: delivery) % ring, at: 3)
        var found: [DeliveryAttempt] = []
        try statement.forEach { row in
            found.append(
                DeliveryAttempt(
                    number: Int(row.integer(0)),
                    at: Timestamp(milliseconds: row.integer(1)),
                    duration: row.integer(2),
                    connected: row.optionalInteger(3),
                    secured: row.optionalInteger(4),
                    answered: row.optionalInteger(5),
                    status: row.optionalInteger(6).map { Int($0) },
                    failure: row.optionalText(7),
                    message: row.optionalText(8),
                    response: row.optionalBytes(9) ?? []
                )
            )
        }
        return found
    }

    private func logged(of delivery: Int64) throws -> Int64 {
        let statement = try PreparedStatement(cachedIn: db, "SELECT logged FROM delivery WHERE id = ?1")
        statement.bind(delivery, at: 1)
        return try statement.first { $0.integer(0) } ?? 0
    }

    private func summary(_ row: PreparedStatement) throws -> DeliverySummary {
        guard let state = DeliveryState(number: row.integer(3)) else {
            throw EventLogError(code: EventLogError.corrupt, message: "A delivery is in a state that there is not.")
        }
        return DeliverySummary(
            event: EventID(epoch: events.epoch, position: Position(row.integer(0))),
            topic: Topic(stored: row.text(1)),
            type: row.optionalText(2),
            state: state,
            attempts: Int(row.integer(4)),
            status: row.optionalInteger(5).map { Int($0) },
            failure: row.optionalText(6),
            notBefore: Timestamp(milliseconds: row.integer(7)),
            attemptedAt: row.optionalInteger(8).map(Timestamp.init(milliseconds:)),
            createdAt: Timestamp(milliseconds: row.integer(9))
        )
    }
}

extension DeliveryState {
    /// What rows have of it.
    fileprivate var number: Int64 {
        switch self {
        case .pending: Schema.pending
        case .delivered: Schema.delivered
        case .dead: Schema.dead
        }
    }

    fileprivate init?(number: Int64) {
        guard let state = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = state
    }
}
