/// What the store is asked.
extension DeliveryScheduler {
    /// One read of the store, to be followed by ``finish(_:_:now:)``.
    struct Read {
        let lane: Int
        let endpoint: Endpoint
        /// The `now` to read with.
        let at: Int64
        let limit: Int
        let byteLimit: Int
    }

    /// Whether ``takeRead(now:)`` has one.
    func wantsRead(now: Int64) -> Bool { phase == .running && hasReaders && now >= readBackoff.retryAt }

    /// Whether a lane waits for nothing but its turn to read.
    var hasReaders: Bool { readers.isAnyReady(isMet) }

    private func isMet(_ need: Reading.Need) -> Bool {
        switch need {
        case .nothing: true
        case .nearness: lanes.queuedBytes < 4 * limits.queuedBytes
        case .budget: lanes.queuedBytes < limits.queuedBytes
        }
    }

    /// The next read, if there is one now.
    mutating func takeRead(now: Int64) -> Read? {
        guard wantsRead(now: now) else { return nil }
        let met = Reading.Need.allCases.filter(isMet)
        guard let index = readers.next(met.contains) else { return nil }
        move(index, to: .underWay(.current))
        let isOverBudget = !isMet(.budget)
        return lanes.with(index) { lane in
            guard let destination = lane.registration.destination else { return nil }
            lane.readAt = .max
            return Read(
                lane: index,
                endpoint: destination.endpoint,
                at: now,
                // Those that are here may be among the ones returned.
                limit: lane.backlog.count + (isOverBudget ? 1 : lane.readAhead),
                byteLimit: lane.backlog.heldBytes + (isOverBudget ? 1 : lane.readAheadBytes)
            )
        }
    }

    /// - Parameter due: what the store has; nil if it failed.
    mutating func finish(_ read: Read, _ due: DueDeliveries?, now: Int64) {
        if due == nil { readBackoff.fail(at: now) } else { readBackoff.succeed() }
        lanes.with(read.lane) { lane in
            if let due, lane.isOpen, lane.reading != .underWay(.void) {
                let fresh = lane.take(due.deliveries)
                lane.readAt = min(lane.readAt, due.next ?? .max)
                // There may be more. The limit leaves space for some that are not here yet.
                if due.deliveries.count >= read.limit, fresh > 0 { lane.reading.want() }
            } else {
                lane.reading.want()
            }
            lane.reading.end()
            lane.backlog.readEnded()
        }
        settle(read.lane)
    }
}
