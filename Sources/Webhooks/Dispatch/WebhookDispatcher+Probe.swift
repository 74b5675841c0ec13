import Locking

/// Single attempts outside the schedule. They count among those under way, and a shutdown gives them its grace too.
extension WebhookDispatcher {
    /// Makes one attempt now, whatever the endpoint's window, rate or state, and records nothing.
    ///
    /// For trying an endpoint out. The outcome's `result` says what would have become of a scheduled delivery.
    ///
    /// - Throws: ``ProbeRefusal``.
    public func attempt(_ delivery: Delivery, at endpoint: Endpoint) async throws(ProbeRefusal) -> AttemptOutcome {
        let answer = try await probe(delivery, at: endpoint, purpose: .delivery)
        let timeOfDay = clocks.timeOfDay()
        let result = policy.result(
            of: answer,
            attempts: delivery.attempts + 1,
            now: clocks.now(),
            timeOfDay: timeOfDay,
            spread: 0
        )
        return AttemptOutcome(of: delivery, at: endpoint, answer, result, timeOfDay: timeOfDay)
    }

    /// Asks an endpoint whether it wants deliveries, in the name of ``WebhookConfiguration/origin``.
    ///
    /// - Returns: what it allows.
    /// - Throws: ``HandshakeFailure`` if it allows nothing, or cannot be reached; ``ProbeRefusal``.
    public func handshake(with endpoint: Endpoint) async throws -> DeliveryConsent {
        let nothing = Delivery(id: 0, endpoint: endpoint.id, eventID: "", topic: "", body: [])
        let answer = try await probe(nothing, at: endpoint, purpose: .handshake(origin: origin))
        return try DeliveryConsent(answer, origin: origin)
    }

    /// Whether any single attempt is under way.
    public var isProbing: Bool {
        state.withLock { !$0.probes.isEmpty }
    }

    private func probe(
        _ delivery: Delivery,
        at endpoint: Endpoint,
        purpose: TransportRequest.Purpose
    ) async throws(ProbeRefusal) -> AttemptAnswer {
        let target = Target(endpoint)
        let result: Result<AttemptAnswer, ProbeRefusal> = await withCheckedContinuation { continuation in
            do throws(ProbeRefusal) {
                try state.withLock { state throws(ProbeRefusal) in
                    guard state.pump != nil else { throw .stopping }
                    let now = clocks.now()
                    let request = try state.scheduler.takeProbe(delivery, at: target, purpose: purpose, now: now)
                    state.probes[request.token] = continuation
                    transport.submit([request])
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }
}
