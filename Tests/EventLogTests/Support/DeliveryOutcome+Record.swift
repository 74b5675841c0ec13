import EventLog

extension DeliveryOutcome {
    /// What became of a delivery that was read.
    init(of delivery: DeliveryRecord, state: State, attempt: DeliveryAttempt, failing: Int64 = 0) {
        self.init(
            observer: delivery.observer,
            event: delivery.event.position,
            renewals: delivery.renewals,
            state: state,
            attempt: attempt,
            failing: failing
        )
    }
}

extension DeliveryLog {
    /// What is due, without when more is.
    func due(of observer: ObserverID, at now: Timestamp, limit: Int) async throws(EventLogError) -> [DeliveryRecord] {
        try await dueDeliveries(of: observer, at: now, limit: limit).deliveries
    }

    /// What is due, and when more is.
    func dueDeliveries(of observer: ObserverID, at now: Timestamp, limit: Int) async throws(EventLogError)
        -> DueDeliveries
    {
        try await dueDeliveries(of: observer, at: now, inOrder: false, limit: limit, byteLimit: .max)
    }

    /// What is pending, in sequence.
    func pendingDeliveries(of observer: ObserverID, limit: Int) async throws(EventLogError) -> [DeliveryRecord] {
        try await dueDeliveries(of: observer, at: now, inOrder: true, limit: limit, byteLimit: .max).deliveries
    }
}
