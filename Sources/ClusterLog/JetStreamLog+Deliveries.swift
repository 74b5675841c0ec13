package import EventLog

extension JetStreamLog: DeliveryLog {
    /// The time by which deliveries are due: see ``DeliveryLog/now``.
    package var now: Timestamp { index.now }

    /// The servers' clock: see ``DeliveryLog/timeOfDay``.
    package var timeOfDay: Timestamp { index.timeOfDay }

    /// What a clock on the wall shows then: see ``DeliveryLog/timeOfDay(at:)``.
    package func timeOfDay(at time: Timestamp) -> Timestamp { index.timeOfDay(at: time) }

    /// The pending deliveries whose time has come: see ``DeliveryLog/dueDeliveries(of:at:inOrder:limit:byteLimit:)``.
    package func dueDeliveries(
        of observer: ObserverID,
        at now: Timestamp,
        inOrder isInOrder: Bool,
        limit: Int,
        byteLimit: Int
    ) async throws(EventLogError) -> DueDeliveries {
        try await index.dueDeliveries(of: observer, at: now, inOrder: isInOrder, limit: limit, byteLimit: byteLimit)
    }

    /// Records how attempts went: see ``DeliveryLog/recordOutcomes(_:completion:)``. Those of webhooks that
    /// another node delivers by now are ignored.
    package func recordOutcomes(
        _ outcomes: [DeliveryOutcome],
        completion: @escaping @Sendable (Result<[ObserverID: Duration], EventLogError>) -> Void
    ) {
        if let refusal = refusal ?? replica.scarcity { return completion(.failure(refusal)) }
        let size = outcomes.reduce(0) { $0 + Self.size(of: $1) }
        guard size > publisher.maximumBytes, outcomes.count > 1 else {
            return publisher.send(
                .recordOutcomes(outcomes, term: keeper.term),
                to: subjects.outcomes,
                .change { result in
                    completion(result.map { if case .recorded(let failing) = $0 { failing } else { [:] } })
                }
            )
        }
        // One message would not hold them.
        let (first, second) = (outcomes.prefix(outcomes.count / 2), outcomes.suffix(from: outcomes.count / 2))
        recordOutcomes(Array(first)) { [self] result in
            guard case .success(let failing) = result else { return completion(result) }
            recordOutcomes(Array(second)) { result in
                completion(result.map { failing.merging($0) { _, later in later } })
            }
        }
    }

    /// About what an outcome takes in a message, in bytes; not less.
    private static func size(of outcome: DeliveryOutcome) -> Int {
        let attempt = outcome.attempt
        let texts = [outcome.observer.rawValue, attempt.failure ?? "", attempt.message ?? ""]
        return 256 + attempt.response.count + texts.reduce(0) { $0 + $1.utf8.count }
    }

    /// Makes every pending delivery of an observer a dead letter: see ``DeliveryLog/abandonDeliveries(of:failure:at:)``.
    package func abandonDeliveries(
        of observer: ObserverID,
        failure: String,
        at now: Timestamp
    ) async throws(EventLogError) -> Int {
        let command = Command.abandonDeliveries(of: observer, failure: failure, at: now)
        guard case .count(let count?) = try await change(command) else { throw .unanswered }
        return count
    }

    /// What became of the deliveries of some observers: see ``DeliveryLog/deliveryStats(of:within:)``.
    package func deliveryStats(
        of observers: [ObserverID],
        within time: Duration
    ) async throws(EventLogError) -> [DeliveryStats] {
        try await index.deliveryStats(of: observers, within: time)
    }

    /// An observer's deliveries: see ``DeliveryLog/deliveries(of:in:before:limit:)``.
    package func deliveries(
        of observer: ObserverID,
        in state: DeliveryState?,
        before event: Position,
        limit: Int
    ) async throws(EventLogError) -> [DeliverySummary] {
        try await index.deliveries(of: observer, in: state, before: event, limit: limit)
    }

    /// What became of one event for one observer: see ``DeliveryLog/delivery(of:to:)``.
    package func delivery(
        of event: Position,
        to observer: ObserverID
    ) async throws(EventLogError) -> (summary: DeliverySummary, attempts: [DeliveryAttempt])? {
        try await index.delivery(of: event, to: observer)
    }

    /// The events of dead letters: see ``DeliveryLog/deadLetters(of:after:through:limit:)``.
    package func deadLetters(
        of observer: ObserverID,
        after: Position,
        through: Position,
        limit: Int
    ) async throws(EventLogError) -> [(event: Position, topic: Topic?)] {
        try await index.deadLetters(of: observer, after: after, through: through, limit: limit)
    }

    /// Has events delivered to an observer: see ``DeliveryLog/redeliver(_:to:createdAt:at:)``.
    package func redeliver(
        _ events: [Position],
        to observer: ObserverID,
        createdAt: Timestamp?,
        at now: Timestamp
    ) async throws(EventLogError) -> Int? {
        if let scarcity = replica.scarcity { throw scarcity }
        var (total, rest) = (0, events[...])
        while !rest.isEmpty {
            let part = rest.prefix(max(publisher.maximumBytes / 16, 1))
            rest = rest.dropFirst(part.count)
            let command = Command.redeliver(Array(part), to: observer, createdAt: createdAt, at: now)
            guard case .count(let count) = try await change(command) else { throw .unanswered }
            guard let count else { return nil }
            total += count
        }
        return total
    }

    /// Whether the deliveries of an observer are this node's to make: see ``DeliveryLog/isOnDuty(for:)``.
    package func isOnDuty(for observer: ObserverID) -> Bool { keeper.duty.contains(Parts(of: observer)) }

    /// Has it told when ``isOnDuty(for:)`` answers otherwise than before: see ``DeliveryLog/followDuty(_:)``.
    package func followDuty(_ follower: @escaping @Sendable (_ grace: Duration) async -> Void) {
        keeper.follow(follower)
    }
}
