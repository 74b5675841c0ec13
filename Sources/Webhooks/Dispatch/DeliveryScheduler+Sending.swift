/// Beginning attempts and taking in their results.
extension DeliveryScheduler {
    /// All attempts that may begin now, taken round-robin, one per lane and turn.
    mutating func takeAttempts(now: Int64) -> [TransportRequest] {
        var attempts: [TransportRequest] = []
        while phase == .running, inFlight < limits.inFlight, unrecorded.count + recording.count < limits.unrecorded,
            let index = sendRing.popFirst()
        {
            if let attempt = takeAttempt(from: index, now: now) { attempts.append(attempt) }
        }
        return attempts
    }

    /// Takes in what became of attempts; decides the outcomes and queues them to be recorded.
    ///
    /// - Parameter spread: chance, -1 to 1, once per failure.
    mutating func finish(_ results: [TransportResult], now: Int64, spread: () -> Double) {
        for result in results {
            inFlight -= 1
            let request = result.request
            switch result.ending {
            case .aborted:
                withLane(request.lane) { lane in
                    lane.inFlight.remove(request.token)
                    lane.tracked.remove(request.delivery.id)
                    // Still pending in the store, if it is there at all; a new registration of the id will find it.
                    lane.isDirty = true
                }
                requestFetch(request.lane)
            case .answered(let answer):
                finish(request, answer, now: now, spread: spread())
            }
            requestSend(request.lane)
            forgetIfSettled(request.lane)
        }
        unparkIfRoomy()
    }

    private mutating func finish(_ request: TransportRequest, _ answer: AttemptAnswer, now: Int64, spread: Double) {
        let attempts = request.delivery.attempts + 1
        var result = policy.result(of: answer, attempts: attempts, now: now, spread: spread)
        // A URL that was replaced meanwhile says nothing about the one in its place.
        if result == .gone, withLane(request.lane, { $0.target?.endpoint.url != request.target.endpoint.url }) {
            result = .retry(notBefore: now)
        }
        unrecorded.append(
            AttemptOutcome(of: request.delivery, at: request.target.endpoint, answer, result, now: now)
        )
        var requeued = 0
        var isProvenWhileParked = false
        withLane(request.lane) { lane in
            lane.inFlight.remove(request.token)
            lane.unrecorded += 1
            lane.isProven = answer.failure != .timeout
            lane.noteEnding(hasFailed: answer.failure != nil)
            isProvenWhileParked = lane.isProven && lane.isParked
            if isProvenWhileParked { lane.isParked = false }
            if result == .gone { lane.isGone = true }
            if case .retry(let notBefore) = result, lane.target?.endpoint.ordered == true, lane.isOpen {
                // The head holds the rest back until it is delivered or dead.
                var head = request.delivery
                head.attempts = attempts
                head.notBefore = notBefore
                lane.queue.prepend(head)
                lane.queuedBytes += head.body.count
                lane.holdUntil = max(lane.holdUntil, notBefore)
                requeued = head.body.count
            }
        }
        queuedBytes += requeued
        if isProvenWhileParked { parked.removeAll { $0 == request.lane } }
        if result == .gone { dropQueue(request.lane) }
    }

    /// Gives the lane a turn if it has something to send and room to send it.
    mutating func requestSend(_ index: Int) {
        let isReady = withLane(index) { lane in
            guard lane.isOpen, !lane.queue.isEmpty, !lane.isInSendRing, !lane.isParked,
                lane.inFlight.count < lane.window
            else { return false }
            lane.isInSendRing = true
            return true
        }
        if isReady { sendRing.append(index) }
    }

    private mutating func takeAttempt(from index: Int, now: Int64) -> TransportRequest? {
        enum Verdict { case send(TransportRequest), hold, park, pass }
        let isCrowded = inFlight >= limits.inFlight / 2
        let token = nextToken
        let verdict: Verdict = withLane(index) { lane in
            lane.isInSendRing = false
            guard lane.isOpen, let target = lane.target, lane.inFlight.count < lane.window, !lane.queue.isEmpty else {
                return .pass
            }
            if lane.holdUntil > now { return .hold }
            if isCrowded, !lane.isProven, !lane.inFlight.isEmpty {
                lane.isParked = true
                return .park
            }
            if let retryAt = lane.brake?.take(at: now) ?? lane.rate?.take(at: now) {
                lane.holdUntil = retryAt
                return .hold
            }
            guard let delivery = lane.queue.popFirst() else { return .pass }
            lane.queuedBytes -= delivery.body.count
            lane.inFlight.insert(token)
            return .send(TransportRequest(token: token, lane: index, target: target, delivery: delivery))
        }
        switch verdict {
        case .send(let request):
            nextToken += 1
            inFlight += 1
            queuedBytes -= request.delivery.body.count
            requestSend(index)
            requestFetch(index)
            return request
        case .hold: arm(index, now: now)
        case .park: parked.append(index)
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
