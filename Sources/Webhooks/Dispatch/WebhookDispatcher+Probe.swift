import Locking

/// Single attempts outside the schedule.
extension WebhookDispatcher {
    /// The lane of requests that belong to none.
    static let probeLane = -1

    /// Makes one attempt now, whatever the endpoint's window, rate or state, and records nothing.
    ///
    /// For trying an endpoint out. The outcome's `result` says what would have become of a scheduled delivery.
    ///
    /// - Returns: the outcome, or `nil` if the dispatcher is not running or ends meanwhile.
    public func attempt(_ delivery: Delivery, at endpoint: Endpoint) async -> AttemptOutcome? {
        guard let answer = await probe(delivery, at: endpoint, purpose: .delivery) else { return nil }
        let now = clock.now()
        let result = policy.result(of: answer, attempts: delivery.attempts + 1, now: now, spread: 0)
        return AttemptOutcome(of: delivery, at: endpoint, answer, result, now: now)
    }

    /// Asks an endpoint whether it wants deliveries, in the name of ``WebhookConfiguration/origin``.
    ///
    /// - Returns: what it allows, or `nil` if the dispatcher is not running or ends meanwhile.
    /// - Throws: ``HandshakeFailure`` if it allows nothing, or cannot be reached.
    public func handshake(with endpoint: Endpoint) async throws(HandshakeFailure) -> DeliveryConsent? {
        let nothing = Delivery(id: 0, endpoint: endpoint.id, eventID: "", topic: "", body: [])
        guard let answer = await probe(nothing, at: endpoint, purpose: .handshake(origin: origin)) else { return nil }
        return try DeliveryConsent(answer, origin: origin)
    }

    private func probe(
        _ delivery: Delivery,
        at endpoint: Endpoint,
        purpose: TransportRequest.Purpose
    ) async -> AttemptAnswer? {
        let target = Target(endpoint)
        return await withCheckedContinuation { continuation in
            let isSubmitted = state.withLock { state in
                guard state.pump != nil, state.scheduler.phase == .running else { return false }
                let token = state.scheduler.nextToken
                state.scheduler.nextToken += 1
                state.probes[token] = continuation
                transport.submit([
                    TransportRequest(
                        token: token,
                        lane: Self.probeLane,
                        target: target,
                        delivery: delivery,
                        purpose: purpose
                    )
                ])
                return true
            }
            if !isSubmitted { continuation.resume(returning: nil) }
        }
    }
}
