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
        let target = Target(endpoint)
        return await withCheckedContinuation { continuation in
            let isSubmitted = state.withLock { state in
                guard state.pump != nil, state.scheduler.phase == .running else { return false }
                let token = state.scheduler.nextToken
                state.scheduler.nextToken += 1
                state.probes[token] = continuation
                transport.submit([
                    TransportRequest(token: token, lane: Self.probeLane, target: target, delivery: delivery)
                ])
                return true
            }
            if !isSubmitted { continuation.resume(returning: nil) }
        }
    }

    func outcome(of result: TransportResult, at now: Int64) -> AttemptOutcome? {
        guard case .answered(let answer) = result.ending else { return nil }
        let attempts = result.request.delivery.attempts + 1
        return AttemptOutcome(
            delivery: result.request.delivery.id,
            endpoint: result.request.target.endpoint.id,
            attempts: attempts,
            result: policy.result(of: answer, attempts: attempts, now: now, spread: 0),
            status: answer.status,
            failure: answer.failure,
            message: answer.message,
            responsePrefix: answer.responsePrefix,
            duration: answer.duration,
            at: now
        )
    }
}
