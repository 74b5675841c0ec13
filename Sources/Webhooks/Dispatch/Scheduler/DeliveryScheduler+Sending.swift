/// Beginning attempts.
extension DeliveryScheduler {
    /// All attempts that may begin now, taken round-robin, one per lane and turn. Those at endpoints that answer well come
    /// first: the others take longer to begin, with new connections and often with TLS.
    mutating func takeAttempts(now: Int64) -> [TransportRequest] {
        var begun: [TransportRequest] = []
        var others: [TransportRequest] = []
        if attempts.endLookups(at: now) { unparkIfRoomy() }
        for case .lane(let index) in attempts.noteSlow(at: now) {
            lanes.with(index) { $0.health.trust.slowUnderWay += 1 }
            reconsider(index, now: now)
            settle(index)
        }
        while phase == .running, attempts.hasRoom, outcomes.count < limits.unrecorded, let index = takeTurn() {
            guard let attempt = takeAttempt(of: index, now: now) else { continue }
            if lanes.with(index, \.pace.brake.answersWell) { begun.append(attempt) } else { others.append(attempt) }
        }
        return others.isEmpty ? begun : begun + others
    }

    /// The next lane that may send: those that wait for others of their standing come after those that do not.
    private mutating func takeTurn() -> Int? {
        if let index = turns.popQueued() {
            lanes.with(index) { $0.turn = .none }
            return index
        }
        guard turns.isAnyWaiting else { return nil }
        for standing in Standing.allCases where attempts.shares.hasRoom(for: standing) {
            let lane = turns.nextWaiting(standing) { lanes.slots[$0]?.health.trust.answeredAt ?? 0 }
            guard let lane else { continue }
            move(lane, to: .none)
            return lane
        }
        return nil
    }

    /// How many attempts may be under way at endpoints of which nothing is known before more of those are not taken for
    /// steady: together their handshakes would hold up those that are.
    private static let newAtOnce = 16

    private mutating func takeAttempt(of index: Int, now: Int64) -> TransportRequest? {
        let turn = turn(of: index, now: now)
        switch turn {
        case .queued:
            let isCrowded = attempts.shares.unknown >= Self.newAtOnce
            let threads = limits.threads
            let taken = lanes.with(index) { lane -> (DueDelivery, Destination, Standing, SendingThread)? in
                guard let destination = lane.registration.destination, let delivery = lane.backlog.popFirst() else {
                    return nil
                }
                lane.health.failing.begin(at: now)
                lane.health.steadiness.begin(isCrowded: isCrowded)
                let thread = lane.nextThread(of: threads)
                lane.threads.begin(on: thread)
                return (delivery, destination, lane.health.trust.standing(at: now), thread)
            }
            guard let (delivery, destination, standing, thread) = taken else { return nil }
            settle(index)
            return attempts.begin(delivery, to: destination, of: .lane(index), standing, on: thread, now: now)
        case .none:
            settle(index)
        case .held, .parked, .waiting:
            move(index, to: turn)
            lanes.arm(index)
        }
        return nil
    }

    /// What a lane whose turn it is has to wait for: `.queued` if for nothing.
    private mutating func turn(of index: Int, now: Int64) -> Turn {
        let isCrowded = attempts.inFlight >= limits.inFlight / 2
        let shares = attempts.shares
        return lanes.with(index) { lane in
            guard lane.canSend else { return .none }
            if lane.heldUntil > now { return .held(until: lane.heldUntil) }
            if isCrowded, !lane.health.trust.isProven, lane.inFlight > 0 { return .parked }
            let standing = lane.health.trust.standing(at: now)
            guard shares.hasRoom(for: standing) else { return .waiting(standing) }
            return lane.pace.take(at: now).map { .held(until: $0) } ?? .queued
        }
    }

    /// Has a lane wait no longer for less to be under way if it answers, or has no slot any more; and not for those of a
    /// standing that is no longer its own.
    mutating func reconsider(_ index: Int, now: Int64) {
        let (turn, trust, isIdle) = lanes.with(index) { ($0.turn, $0.health.trust, $0.inFlight == 0) }
        switch turn {
        case .parked where trust.isProven || isIdle: move(index, to: .none)
        case .waiting(let standing) where standing != trust.standing(at: now): move(index, to: .none)
        default: break
        }
    }

    /// Has lanes wait no longer for less to be under way, once it is.
    mutating func unparkIfRoomy() {
        guard attempts.inFlight < limits.inFlight / 2 else { return }
        for index in turns.parked {
            move(index, to: .none)
            settle(index)
        }
    }
}
