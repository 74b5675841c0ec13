/// How what may be under way at once is shared between endpoints that answer and such that may not.
extension DeliveryScheduler {
    /// An attempt that has begun, until it is known whether it is slow.
    struct Beginning {
        let token: UInt64
        /// Nil for a single attempt.
        let lane: Int?
        let standing: Lane.Standing
        let weight: Int
        let at: Int64
    }

    /// What an attempt counts for while it is under way.
    func weight(of target: Target) -> Int {
        target.isAddress ? 1 : limits.perName
    }

    /// Whether another attempt may begin, wherever it goes.
    var hasRoom: Bool { inFlight + limits.perName <= limits.inFlight }

    /// Takes in that an attempt is under way from now on.
    mutating func begin(_ request: TransportRequest, now: Int64) {
        let weight = weight(of: request.target)
        inFlight += weight
        requestsUnderWay += 1
        shares.add(weight, of: request.standing)
        begun.append(
            Beginning(token: request.token, lane: request.lane, standing: request.standing, weight: weight, at: now)
        )
    }

    /// Takes in that an attempt is no longer under way, however it ended.
    mutating func leave(_ request: TransportRequest) {
        let weight = weight(of: request.target)
        let isSlow = slow.remove(request.token) != nil
        inFlight -= weight
        requestsUnderWay -= 1
        shares.add(-weight, of: isSlow ? .slow : request.standing)
        if isSlow, let lane = request.lane { withLane(lane) { $0.slowUnderWay -= 1 } }
    }

    /// Counts attempts as slow that have been under way for too long to be prompt.
    mutating func noteSlowAttempts(now: Int64) {
        while let first = begun.first {
            guard !isUnderWay(first) || now - first.at >= Lane.promptTime else { return }
            _ = begun.popFirst()
            guard isUnderWay(first) else { continue }
            slow.insert(first.token)
            shares.add(-first.weight, of: first.standing)
            shares.add(first.weight, of: .slow)
            if let lane = first.lane { withLane(lane) { $0.slowUnderWay += 1 } }
        }
    }

    /// When the next attempt is slow, if that changes anything.
    var nextSlowAt: Int64 {
        guard !waiting.isEmpty, let first = begun.first else { return .max }
        return first.at + Lane.promptTime
    }

    private func isUnderWay(_ beginning: Beginning) -> Bool {
        guard let lane = beginning.lane else { return probes[beginning.token] != nil }
        return lanes[lane]?.inFlight.contains(beginning.token) == true
    }

    /// The next lane that waits for a share in which there is room now: in turn the one that has waited longest, and the
    /// one that answered last. When all have begun to hang but one, that is the one.
    mutating func takeWaiting() -> Int? {
        if waiting.isEmpty { return nil }
        for standing in Lane.Standing.allCases where shares.hasRoom(for: standing) {
            guard let queue = waiting[standing] else { continue }
            takesLastAnswered.toggle()
            let answeredLast =
                takesLastAnswered ? queue.indices.max { answeredAt(queue[$0]) < answeredAt(queue[$1]) } : nil
            guard let index = waiting[standing]?.remove(at: answeredLast ?? 0) else { continue }
            if queue.count == 1 { waiting[standing] = nil }
            withLane(index) { $0.isWaiting = false }
            return index
        }
        return nil
    }

    private func answeredAt(_ index: Int) -> Int64 { lanes[index]?.answeredAt ?? 0 }

    /// Has a lane that has proved that it answers wait no longer for what others do.
    mutating func stopWaiting(_ index: Int) {
        unpark(index)
        guard withLane(index, \.isWaiting) else { return }
        for standing in waiting.keys {
            waiting[standing]?.removeAll { $0 == index }
            if waiting[standing]?.isEmpty == true { waiting[standing] = nil }
        }
        withLane(index) { $0.isWaiting = false }
    }

    /// Has a lane wait no longer for the total to fall: it answers, or has no slot any more.
    mutating func unpark(_ index: Int) {
        guard withLane(index, \.isParked) else { return }
        parked.removeAll { $0 == index }
        withLane(index) { $0.isParked = false }
    }
}
