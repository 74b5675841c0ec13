/// The way of a delivery through the lane: queued, sent, ended, recorded.
extension Lane {
    /// Queues a delivery that was read or offered; returns the bytes that it adds to the queue, nil if it is ours already.
    mutating func take(_ delivery: Delivery) -> Int? {
        if let known = tracked[delivery.id] {
            if known.renewals == delivery.renewals { return nil }
            guard !known.isActive else {
                renewed[delivery.id] = delivery
                return nil
            }
        }
        tracked[delivery.id, default: TrackedDelivery()].activate(delivery)
        queue.append(delivery)
        queuedBytes += delivery.body.count
        averageBody += (delivery.body.count - averageBody) / 16
        return delivery.body.count
    }

    /// Takes the first delivery off the queue, to be sent under a token; also how many bytes that makes room for.
    mutating func send(_ token: UInt64) -> (delivery: Delivery, bytes: Int)? {
        guard let queued = queue.popFirst() else { return nil }
        queuedBytes -= queued.body.count
        inFlight.insert(token)
        guard let delivery = takeRenewed(queued.id) else { return (queued, queued.body.count) }
        tracked[queued.id]?.activate(delivery)
        return (delivery, queued.body.count)
    }

    /// Waits for the head of an ordered queue, as it is in the store by now.
    mutating func waitForHead() {
        guard inFlight.isEmpty, let head = queue.first else { return }
        holdUntil = head.notBefore
        guard let renewed = takeRenewed(head.id) else { return }
        _ = queue.popFirst()
        queue.prepend(renewed)
        tracked[head.id]?.activate(renewed)
        holdUntil = renewed.notBefore
    }

    /// Takes in that an attempt has an outcome, which is to be recorded.
    ///
    /// - Parameter retry: what then stands at the head of the queue and holds the rest back.
    /// - Returns: the bytes that are added to the queue.
    mutating func finish(_ request: TransportRequest, retry: Delivery?) -> Int {
        let id = request.delivery.id
        inFlight.remove(request.token)
        unrecorded += 1
        tracked[id]?.isActive = false
        tracked[id]?.unrecorded += 1
        // What was made anew is due, however the attempt before it ended.
        guard let next = takeRenewed(id) ?? retry, isOpen else { return 0 }
        tracked[id]?.activate(next)
        if target?.endpoint.ordered == true {
            queue.prepend(next)
            holdUntil = next.notBefore
        } else {
            queue.append(next)
        }
        queuedBytes += next.body.count
        return next.body.count
    }

    /// Takes in that an attempt was aborted. Its delivery is pending in the store, if it is there at all.
    mutating func abort(_ request: TransportRequest) {
        inFlight.remove(request.token)
        isDirty = true
        renewed[request.delivery.id] = nil
        release(request.delivery.id) { $0.isActive = false }
    }

    /// Takes in that an outcome is recorded; returns whether its delivery is no longer ours.
    mutating func recorded(_ id: Int64) -> Bool {
        unrecorded -= 1
        release(id) { $0.unrecorded -= 1 }
        return tracked[id] == nil
    }

    /// Drops the queue; its deliveries stay pending in the store.
    mutating func dropQueue() {
        for delivery in queue.removeAll() { release(delivery.id) { $0.isActive = false } }
        renewed = [:]
        queuedBytes = 0
    }

    private mutating func takeRenewed(_ id: Int64) -> Delivery? {
        // Hardly ever is there any.
        renewed.isEmpty ? nil : renewed.removeValue(forKey: id)
    }

    private mutating func release(_ id: Int64, _ change: (inout TrackedDelivery) -> Void) {
        guard var entry = tracked[id] else { return }
        change(&entry)
        tracked[id] = entry.isSettled ? nil : entry
    }
}
