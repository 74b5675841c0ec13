import OrderedCollections

/// What the store records, and the end, which is when it has recorded all.
extension DeliveryScheduler {
    /// How many outcomes make them not wait for others.
    var recordAtOnce: Int { phase == .running ? limits.recordAtOnce : 1 }

    /// Whether nothing is under way and everything is recorded, or cannot be: then the attempts are made again after the
    /// restart.
    var isFinished: Bool {
        phase != .running && attempts.underWay.isEmpty && outcomes.recording.isEmpty
            && (outcomes.waiting.isEmpty || outcomes.backoff.failures >= 5)
    }

    /// Begins the end: nothing more is read or begun.
    mutating func stop(deadline: Int64) {
        if phase == .running { phase = .stopping(deadline: deadline) }
    }

    mutating func takeAborts(now: Int64) -> [UInt64] {
        guard case .stopping(let deadline) = phase, now >= deadline, !attempts.underWay.isEmpty else { return [] }
        phase = .aborting
        return Array(attempts.underWay.keys)
    }

    /// Takes in that the outcomes of the last ``Steps/record`` are stored.
    mutating func recorded() {
        // Each is settled once: whoever sends waits for this.
        var concerned: OrderedSet<Int> = []
        for outcome in outcomes.recorded() {
            guard let index = lanes.indices[outcome.endpoint] else { continue }
            lanes.with(index) { lane in
                let isDone = lane.backlog.recorded(outcome.delivery, isReading: lane.reading.isUnderWay)
                if case .retry(let notBefore) = outcome.result, isDone { lane.readAt = min(lane.readAt, notBefore) }
            }
            concerned.append(index)
        }
        for index in concerned { settle(index) }
    }

    mutating func recordFailed(now: Int64) { outcomes.fail(at: now) }
}
