/// Beginning attempts and taking in their results.
extension DeliveryScheduler {
    /// All attempts that may begin now, taken round-robin, one per lane and turn. Those at endpoints that answer well come
    /// first: the others take longer to begin, with new connections and often with TLS.
    mutating func takeAttempts(now: Int64) -> [TransportRequest] {
        var attempts: [TransportRequest] = []
        var others: [TransportRequest] = []
        noteSlowAttempts(now: now)
        while phase == .running, hasRoom, unrecorded.count + recording.count < limits.unrecorded,
            let index = sendRing.popFirst() ?? takeWaiting()
        {
            guard let attempt = takeAttempt(from: index, now: now) else { continue }
            if withLane(index, \.answersWell) { attempts.append(attempt) } else { others.append(attempt) }
        }
        return others.isEmpty ? attempts : attempts + others
    }

    /// Takes in what became of attempts; decides the outcomes and queues them to be recorded.
    ///
    /// - Parameter spread: chance, -1 to 1, once per failure.
    mutating func finish(_ results: [TransportResult], now: Int64, spread: () -> Double) {
        for result in results {
            let request = result.request
            leave(request)
            guard let index = request.lane else {
                probes[request.token] = nil
                continue
            }
            switch result.ending {
            case .aborted:
                withLane(index) { $0.abort(request) }
                requestFetch(index)
            case .unmade:
                let spread = spread()
                withLane(index) { lane in
                    lane.abort(request)
                    lane.rest(at: now, spread: spread)
                }
                // What was to go first is in the store alone now, and what is queued comes after it.
                reread(index)
            case .answered(let answer):
                finish(request, of: index, answer, now: now, timeOfDay: result.timeOfDay, spread: spread())
            }
            if withLane(index, \.isProven) { stopWaiting(index) }
            if withLane(index, \.inFlight.isEmpty) { unpark(index) }
            requestSend(index)
            forgetIfSettled(index)
        }
        unparkIfRoomy()
    }

    private mutating func finish(
        _ request: TransportRequest,
        of index: Int,
        _ answer: AttemptAnswer,
        now: Int64,
        timeOfDay: Int64,
        spread: Double
    ) {
        let attempts = request.delivery.attempts + 1
        var result = policy.result(of: answer, attempts: attempts, now: now, timeOfDay: timeOfDay, spread: spread)
        // Refused because it goes in a circle: so would every other attempt be.
        if answer.status == 508, request.delivery.hops > Delivery.mostHops { result = .dead }
        // A URL that was replaced meanwhile says nothing about the one in its place.
        let isSameURL = withLane(index) { $0.target?.endpoint.url == request.target.endpoint.url }
        if result == .gone, !isSameURL { result = .retry(notBefore: now) }
        if unrecorded.isEmpty { recordAt = now + limits.recordDelay }
        var outcome = AttemptOutcome(
            of: request.delivery,
            at: request.target.endpoint,
            answer,
            result,
            timeOfDay: timeOfDay
        )
        // Of a URL that was replaced meanwhile there is nothing new to tell.
        if isSameURL {
            outcome.news = withLane(index) { $0.news.note(hasFailed: answer.failure != nil, now: now) }
            outcome.failing = withLane(index) { $0.noteFailing(outcome, of: request.delivery, at: now) }
        }
        unrecorded.append(outcome)
        if answer.failure == nil { answeredAt = now }
        let areOthersAnswered = now - answeredAt < 100
        var isInAnotherFormat = false
        queuedBytes += withLane(index) { lane in
            if isSameURL { lane.noteAnswer(answer, now: now) }
            lane.noteEnding(hasFailed: answer.failure != nil, areOthersAnswered: areOthersAnswered, spread: spread)
            if result == .gone { lane.isGone = true }
            var retry: Delivery?
            if case .retry(let notBefore) = result, lane.target?.endpoint.ordered == true {
                // The head holds the rest back until it is delivered or dead.
                isInAnotherFormat = lane.target?.endpoint.format != request.target.endpoint.format
                retry = request.delivery
                retry?.attempts = attempts
                retry?.notBefore = notBefore
            }
            return lane.finish(request, retry: retry)
        }
        if result == .gone { dropQueue(index) }
        if isInAnotherFormat { reread(index) }
        if result == .gone || withLane(index, \.isHeldByRecord) { recordAt = now }
    }

    /// Gives the lane a turn if it has something to send and room to send it.
    mutating func requestSend(_ index: Int) {
        let isReady = withLane(index) { lane in
            guard lane.isOpen, !lane.queue.isEmpty, !lane.isInSendRing, !lane.isParked, !lane.isWaiting,
                lane.inFlight.count < lane.window
            else { return false }
            lane.isInSendRing = true
            return true
        }
        if isReady { sendRing.append(index) }
    }

    private mutating func takeAttempt(from index: Int, now: Int64) -> TransportRequest? {
        enum Verdict { case send(TransportRequest, bytes: Int), hold, park, wait(Lane.Standing), pass }
        let isCrowded = inFlight >= limits.inFlight / 2
        let token = nextToken
        let shares = shares
        let verdict: Verdict = withLane(index) { lane in
            lane.isInSendRing = false
            guard lane.isOpen, let target = lane.target, lane.inFlight.count < lane.window, !lane.queue.isEmpty else {
                return .pass
            }
            if lane.heldUntil > now { return .hold }
            if isCrowded, !lane.isProven, !lane.inFlight.isEmpty {
                lane.isParked = true
                return .park
            }
            let standing = lane.standing(at: now)
            guard shares.hasRoom(for: standing) else {
                lane.isWaiting = true
                return .wait(standing)
            }
            if let retryAt = lane.brake?.take(at: now) ?? lane.rate?.take(at: now) {
                lane.holdUntil = retryAt
                return .hold
            }
            guard let (delivery, bytes) = lane.send(token) else { return .pass }
            lane.failing.begin(at: now)
            let request = TransportRequest(
                token: token,
                lane: index,
                standing: standing,
                target: target,
                delivery: delivery
            )
            return .send(request, bytes: bytes)
        }
        switch verdict {
        case .send(let request, let bytes):
            nextToken += 1
            begin(request, now: now)
            queuedBytes -= bytes
            requestSend(index)
            requestFetch(index)
            return request
        case .hold: arm(index, now: now)
        case .park: parked.append(index)
        case .wait(let standing): waiting[standing, default: []].append(index)
        case .pass: forgetIfSettled(index)
        }
        return nil
    }

    private mutating func unparkIfRoomy() {
        guard inFlight < limits.inFlight / 2, !parked.isEmpty else { return }
        let lanes = parked
        parked = []
        for index in lanes {
            withLane(index) { $0.isParked = false }
            requestSend(index)
            forgetIfSettled(index)
        }
    }
}
