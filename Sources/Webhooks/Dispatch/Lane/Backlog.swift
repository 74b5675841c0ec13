import DequeModule

/// The deliveries of one endpoint that are here: queued, in flight, or ended and not yet recorded. The store has them all
/// pending.
struct Backlog {
    /// What is remembered of one.
    private struct Tracked {
        /// How often it had been renewed when it was read.
        var renewals: Int64
        var cost = 0
        /// Whether it is queued or in flight.
        var isActive = true
        /// How many of its outcomes are not recorded yet.
        var unrecorded = 0

        var isSettled: Bool { !isActive && unrecorded == 0 }
    }

    /// Read from the store, or offered, and not yet begun.
    private(set) var queue: Deque<DueDelivery> = []

    /// The ``DueDelivery/cost`` of what is in `queue`,
    private(set) var bytes = 0

    /// of all that is here,
    private(set) var heldBytes = 0

    /// and a moving average of it, to bound how much is read ahead.
    private(set) var averageCost = 1024

    private(set) var unrecorded = 0

    /// By id, which is unique for the endpoint only.
    private var tracked: [Int64: Tracked] = [:]

    /// Those that were recorded since the read under way began, which may return them: they are let go after it.
    private var recordedMeanwhile: [Int64] = []

    /// Deliveries that were renewed while they were queued or in flight, as they were read then.
    private var renewed: [Int64: DueDelivery] = [:]

    /// How many of what is pending in the store are here.
    var count: Int { tracked.count }

    var size: Int { queue.count + tracked.count + renewed.count }

    /// Queues a delivery that was read or offered, unless it is here already; returns whether it was not.
    mutating func take(_ delivery: DueDelivery) -> Bool {
        if let known = tracked[delivery.id] {
            if known.renewals == delivery.renewals { return false }
            guard !known.isActive else {
                renewed[delivery.id] = delivery
                return false
            }
        }
        queue(delivery)
        averageCost += (delivery.cost - averageCost) / 16
        return true
    }

    /// Queues a delivery, before all others if asked to.
    mutating func queue(_ delivery: DueDelivery, isFirst: Bool = false) {
        activate(delivery)
        if isFirst { queue.prepend(delivery) } else { queue.append(delivery) }
        bytes += delivery.cost
    }

    /// Takes the first delivery off the queue, to be sent, as it is in the store by now.
    mutating func popFirst() -> DueDelivery? {
        guard let queued = queue.popFirst() else { return nil }
        bytes -= queued.cost
        guard let delivery = takeRenewed(queued.id) else { return queued }
        activate(delivery)
        return delivery
    }

    /// Takes in that an attempt has an outcome, which is to be recorded; returns its delivery if that was renewed
    /// meanwhile: it is due, however the attempt ended.
    mutating func end(_ id: Int64) -> DueDelivery? {
        unrecorded += 1
        change(id) { known in
            known.isActive = false
            known.unrecorded += 1
        }
        return takeRenewed(id)
    }

    /// Takes in that an attempt was not made, or that it is not known whether it was. Its delivery is pending in the store,
    /// if it is there at all.
    mutating func abort(_ id: Int64) {
        renewed[id] = nil
        release(id)
    }

    /// Takes in that an outcome is recorded; returns whether its delivery is done with here.
    mutating func recorded(_ id: Int64, isReading: Bool) -> Bool {
        unrecorded -= 1
        let known = change(id) { $0.unrecorded -= 1 }
        guard known?.isSettled != false else { return false }
        if isReading { recordedMeanwhile.append(id) } else { forget(id) }
        return true
    }

    /// Takes in that a read has ended, however it did.
    mutating func readEnded() {
        for id in recordedMeanwhile where tracked[id]?.isSettled == true { forget(id) }
        recordedMeanwhile = []
    }

    /// Whether a delivery of the topic is queued, or is to be when an attempt ends.
    func contains(_ topic: String) -> Bool {
        queue.contains { $0.topic == topic } || renewed.values.contains { $0.topic == topic }
    }

    /// Drops the queue; its deliveries stay pending in the store.
    mutating func dropQueue() {
        for delivery in queue { release(delivery.id) }
        queue = []
        renewed = [:]
        bytes = 0
    }

    private mutating func activate(_ delivery: DueDelivery) {
        var known = tracked[delivery.id] ?? Tracked(renewals: 0)
        heldBytes += delivery.cost - known.cost
        (known.renewals, known.cost, known.isActive) = (delivery.renewals, delivery.cost, true)
        tracked[delivery.id] = known
    }

    private mutating func forget(_ id: Int64) {
        heldBytes -= tracked.removeValue(forKey: id)?.cost ?? 0
    }

    private mutating func release(_ id: Int64) {
        if change(id, { $0.isActive = false })?.isSettled == true { forget(id) }
    }

    /// Changes what is remembered of one, and returns it. Not in place: for that a dictionary allocates three times.
    @discardableResult
    private mutating func change(_ id: Int64, _ body: (inout Tracked) -> Void) -> Tracked? {
        guard var known = tracked[id] else { return nil }
        body(&known)
        tracked[id] = known
        return known
    }

    private mutating func takeRenewed(_ id: Int64) -> DueDelivery? {
        // Hardly ever is there any.
        renewed.isEmpty ? nil : renewed.removeValue(forKey: id)
    }
}
