/// How what may be under way at once is shared between endpoints that answer and such that may not.
extension DeliveryScheduler {
    /// How much of what is under way is of lanes that have not proved that they answer, by their standing when it began.
    struct Shares {
        private(set) var unknown = 0
        private(set) var hanging = 0

        mutating func add(_ weight: Int, of standing: Lane.Standing) {
            switch standing {
            case .proven: break
            case .unknown: unknown += weight
            case .hanging: hanging += weight
            }
        }
    }

    /// What an attempt counts for while it is under way.
    func weight(of target: Target) -> Int {
        target.isAddress ? 1 : limits.perName
    }

    /// Whether another attempt may begin, wherever it goes.
    var hasRoom: Bool { inFlight + limits.perName <= limits.inFlight }

    /// Whether another attempt of a lane of that standing may begin.
    func hasRoom(for standing: Lane.Standing) -> Bool {
        switch standing {
        case .proven: true
        case .unknown: shares.unknown + shares.hanging < (limits.inFlight * 3 + 3) / 4
        case .hanging: shares.hanging < (limits.inFlight + 1) / 2
        }
    }

    /// Takes in that an attempt is no longer under way, however it ended.
    mutating func leave(_ request: TransportRequest) {
        let weight = weight(of: request.target)
        inFlight -= weight
        shares.add(-weight, of: request.standing)
        admitWaiting()
    }

    /// Gives a lane that waits a turn for the place that another has left, or has not taken. One of each standing: those
    /// that hang take from the share of those that are not known yet, too.
    mutating func admitWaiting() {
        if waiting.isEmpty { return }
        for standing in [Lane.Standing.unknown, .hanging] where hasRoom(for: standing) {
            while let index = waiting[standing]?.first {
                waiting[standing]?.removeFirst()
                withLane(index) { $0.isWaiting = false }
                requestSend(index)
                if withLane(index, \.isInSendRing) { break }
                forgetIfSettled(index)
            }
            if waiting[standing]?.isEmpty == true { waiting[standing] = nil }
        }
    }

    /// A lane needs no share any more: it has proved that it answers.
    mutating func stopWaiting(_ index: Int) {
        for standing in waiting.keys { waiting[standing]?.removeAll { $0 == index } }
        withLane(index) { $0.isWaiting = false }
    }
}
