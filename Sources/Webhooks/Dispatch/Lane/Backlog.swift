import DequeModule

/// The deliveries of one endpoint that are here: queued, in flight, or ended and not yet recorded. The store has them all
/// pending.
struct Backlog {
    /// What is remembered of one.
    private struct Tracked {
        /// How often it had been renewed when it was read.
        var renewals: Int64
        /// Whether it is queued or in flight.
        var isActive = true
        /// Whether it was renewed since, as a read has shown.
        var isRenewed = false
        /// How many of its outcomes are not recorded yet.
        var unrecorded = 0

        var isSettled: Bool { !isActive && unrecorded == 0 }
    }

    /// Read from the store, or offered, and not yet begun.
    private(set) var queue: Deque<DueDelivery> = []

    /// Bytes of the bodies in `queue`.
    private(set) var bytes = 0

    /// A moving average of body sizes in bytes, to bound how much is read ahead.
    private(set) var averageBody = 1024

    /// Outcomes not yet recorded.
    private(set) var unrecorded = 0

    /// By id, which is unique for the endpoint only.
    private var tracked: [Int64: Tracked] = [:]

    /// Those that were recorded since the read under way began, which may return them: they are let go after it.
    private var recordedMeanwhile: [Int64] = []

    /// How many of what is pending in the store are here.
    var count: Int { tracked.count }

    /// Queues a delivery that was read or offered, unless it is here already; returns whether it was not.
    mutating func take(_ delivery: DueDelivery) -> Bool {
        if let known = tracked[delivery.id], known.isActive || known.renewals == delivery.renewals {
            if known.renewals != delivery.renewals { tracked[delivery.id]?.isRenewed = true }
            return false
        }
        queue(delivery)
        averageBody += (delivery.body.count - averageBody) / 16
        return true
    }

    /// Queues a delivery, before all others if asked to.
    mutating func queue(_ delivery: DueDelivery, isFirst: Bool = false) {
        let unrecorded = tracked[delivery.id]?.unrecorded ?? 0
        tracked[delivery.id] = Tracked(renewals: delivery.renewals, unrecorded: unrecorded)
        if isFirst { queue.prepend(delivery) } else { queue.append(delivery) }
        bytes += delivery.body.count
    }

    /// Takes the first delivery off the queue, to be sent.
    mutating func popFirst() -> DueDelivery? {
        guard let delivery = queue.popFirst() else { return nil }
        bytes -= delivery.body.count
        return delivery
    }

    /// Takes in that an attempt has an outcome, which is to be recorded; returns whether its delivery was renewed meanwhile: it is
    /// due then, however the attempt ended.
    mutating func end(_ id: Int64) -> Bool {
        unrecorded += 1
        tracked[id]?.isActive = false
        tracked[id]?.unrecorded += 1
        return tracked[id]?.isRenewed ?? false
    }

    /// Takes in that an attempt was not made, or that it is not known whether it was. Its delivery is pending in the store, if it
    /// is there at all.
    mutating func abort(_ id: Int64) {
        tracked[id]?.isActive = false
        if tracked[id]?.isSettled == true { tracked[id] = nil }
    }

    /// Takes in that an outcome is recorded; returns whether its delivery is done with here.
    mutating func recorded(_ id: Int64, isReading: Bool) -> Bool {
        unrecorded -= 1
        tracked[id]?.unrecorded -= 1
        guard tracked[id]?.isSettled != false else { return false }
        if isReading { recordedMeanwhile.append(id) } else { tracked[id] = nil }
        return true
    }

    /// Takes in that a read has ended, however it did.
    mutating func readEnded() {
        for id in recordedMeanwhile where tracked[id]?.isSettled == true { tracked[id] = nil }
        recordedMeanwhile = []
    }

    /// Whether a delivery of the topic is queued.
    func contains(_ topic: String) -> Bool { queue.contains { $0.topic == topic } }

    /// Drops the queue; its deliveries stay pending in the store.
    mutating func dropQueue() {
        for delivery in queue { abort(delivery.id) }
        queue = []
        bytes = 0
    }
}
