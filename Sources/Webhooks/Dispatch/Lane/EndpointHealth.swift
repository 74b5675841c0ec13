/// How an endpoint is, as its attempts show: whether it answers, at what cost, for how long it has been failing, and
/// whether that is known.
struct EndpointHealth {
    var trust = Trust()
    var steadiness = Steadiness()
    var failing = FailingTime()
    private var alerts = FailureAlerts()

    /// Takes in how an attempt ended, and adds to its outcome what follows of it for the endpoint.
    mutating func note(_ answer: AttemptAnswer, of delivery: DueDelivery, _ outcome: inout AttemptOutcome, now: Int64) {
        trust.note(answer, now: now)
        steadiness.note(answer)
        outcome.alert = alerts.note(hasFailed: answer.failure != nil, now: now)
        guard answer.failure != nil else { return failing.succeed(at: now) }
        var retry: Int64?
        if case .retry(let notBefore) = outcome.result { retry = notBefore }
        let due = delivery.attempts > 0 ? delivery.notBefore : nil
        outcome.failing = failing.fail(due: due, duration: answer.duration, retry: retry, at: now)
    }

    /// Forgets how it answers: the endpoint may be another one now.
    mutating func resetTrust() {
        trust.reset()
        steadiness = Steadiness()
    }

    /// Forgets for how long it has been failing: there is reason to hope.
    mutating func resetFailures() {
        alerts = FailureAlerts()
        failing = FailingTime()
    }
}
