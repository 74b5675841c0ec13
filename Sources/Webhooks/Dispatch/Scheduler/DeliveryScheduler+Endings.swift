import OrderedCollections

/// Taking in what became of attempts.
extension DeliveryScheduler {
    /// Takes in results; decides the outcomes and has them wait to be recorded.
    ///
    /// - Parameter jitter: chance, -1 to 1, once per failure.
    mutating func finish(_ results: [TransportResult], now: Int64, jitter: () -> Double) {
        // Each is settled once.
        var concerned: OrderedSet<Int> = []
        for result in results {
            let attempt = attempts.end(result.request.token, leavesLookup: result.leavesLookup)
            guard let attempt, case .lane(let index) = attempt.owner else { continue }
            lanes.with(index) { lane in
                lane.threads.end(on: result.request.thread)
                if attempt.isSlow { lane.health.trust.slowUnderWay -= 1 }
            }
            switch result.ending {
            case .aborted:
                abort(result.request, of: index)
            case .unmade:
                abort(result.request, of: index)
                let jitter = jitter()
                lanes.with(index) { lane in
                    lane.pace.rest(at: now, jitter: jitter)
                    // What was to go first is in the store alone now, and what is queued comes after it.
                    lane.reread()
                }
            case .answered(let answer):
                finish(result, of: index, answer, now: now, jitter: answer.failure == nil ? 0 : jitter())
            }
            concerned.append(index)
        }
        for index in concerned {
            reconsider(index, now: now)
            settle(index)
        }
        unparkIfRoomy()
    }

    private mutating func abort(_ request: TransportRequest, of index: Int) {
        lanes.with(index) { lane in
            lane.backlog.abort(request.delivery.id)
            lane.reading.want()
            lane.rereadAfterStaleAttempt()
        }
    }

    private mutating func finish(
        _ transportResult: TransportResult,
        of index: Int,
        _ answer: AttemptAnswer,
        now: Int64,
        jitter: Double
    ) {
        let (request, timeOfDay) = (transportResult.request, transportResult.timeOfDay)
        let delivery = request.delivery
        // As it was then, and as it is now.
        let (past, present) = (request.destination, lanes.with(index) { $0.registration.destination })
        // A URL that was replaced meanwhile says nothing about the one in its place, nor does what began before it was enabled
        // again.
        let isPresent =
            present?.endpoint.url == past.endpoint.url
            && present?.endpoint.generation == past.endpoint.generation
        let hasFailed = answer.failure != nil
        let attempts = delivery.attempts + 1
        var result = policy.result(of: answer, attempts: attempts, now: now, timeOfDay: timeOfDay, jitter: jitter)
        // Refused because it goes in a circle: so would every other attempt be.
        if answer.status == 508, delivery.hops > DueDelivery.mostHops { result = .dead }
        if result == .gone, !isPresent { result = .retry(notBefore: now) }
        if !hasFailed { self.attempts.answeredAt = now }
        let areOthersAnswered = now - self.attempts.answeredAt < 100

        var outcome = AttemptOutcome(of: delivery, at: past.endpoint, answer, result, timeOfDay: timeOfDay)
        var retry: DueDelivery?
        if case .retry(let notBefore) = result, present?.endpoint.ordered == true {
            // The head holds the rest back until it is delivered or dead.
            retry = delivery
            retry?.attempts += 1
            retry?.notBefore = notBefore
        }
        lanes.with(index) { lane in
            if isPresent {
                lane.pace.endRest()
                lane.health.note(answer, of: delivery, &outcome, now: now)
            }
            lane.pace.brake.note(hasFailed: hasFailed, areOthersAnswered: areOthersAnswered, jitter: jitter)
            if result == .gone { lane.registration.isGone = true }
            lane.end(delivery.id, retry: retry)
            if result == .gone { lane.backlog.dropQueue() }
            lane.rereadAfterStaleAttempt()
        }
        outcomes.add(outcome, dueAt: now + limits.recordDelay)
        // An ordered endpoint is read again as soon as it is recorded.
        let isHeldUp = lanes.with(index) { $0.reading != .idle && $0.mustWaitForRecord }
        if result == .gone || isHeldUp { outcomes.hurry(at: now) }
    }
}
