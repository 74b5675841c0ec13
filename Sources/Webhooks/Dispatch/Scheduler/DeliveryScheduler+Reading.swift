import DequeModule

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

    /// Whether ``takeRead(now:)`` may have one.
    func wantsRead(now: Int64) -> Bool { phase == .running && !readers.isEmpty && now >= readBackoff.retryAt }

    /// The next read, if there is one now.
    mutating func takeRead(now: Int64) -> Read? {
        guard wantsRead(now: now) else { return nil }
        let isOverBudget = lanes.queuedBytes >= limits.queuedBytes
        // However many have nothing, those that have yet to answer do not read one each.
        let isFarBeyond = lanes.queuedBytes >= 4 * limits.queuedBytes
        for _ in 0..<readers.count {
            guard let index = readers.popFirst() else { return nil }
            let (canRead, isBusy) = lanes.with(index) { lane in
                let isBusy = !lane.backlog.queue.isEmpty || lane.inFlight > 0
                return (lane.isOpen && !lane.mustWaitForRecord, isBusy || isFarBeyond && !lane.health.trust.isProven)
            }
            guard canRead else {
                lanes.with(index) { $0.reading = .wanted }
                lanes.forgetIfSettled(index)
                continue
            }
            if isOverBudget, isBusy {
                readers.append(index)
                continue
            }
            return lanes.with(index) { lane in
                guard let destination = lane.registration.destination else { return nil }
                lane.reading = .underWay(.current)
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
        return nil
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
