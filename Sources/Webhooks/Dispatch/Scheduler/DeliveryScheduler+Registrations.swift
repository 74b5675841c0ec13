/// Which endpoints there are, and what is committed for them.
extension DeliveryScheduler {
    /// Adds or replaces an endpoint. Its queue is read again; attempts under way end as they began.
    mutating func set(_ destination: Destination) {
        guard phase == .running else { return }
        let endpoint = destination.endpoint
        let share = max(limits.inFlight / 8 / attempts.weight(of: destination), 1)
        reread(lanes.index(of: endpoint.id, ownedBy: endpoint.owner)) { $0.register(destination, share: share) }
    }

    /// Removes an endpoint; returns the attempts to abort.
    mutating func remove(_ id: String) -> [UInt64] {
        guard let index = lanes.indices[id] else { return [] }
        lanes.with(index) { $0.unregister() }
        settle(index)
        return attempts.tokens(of: index)
    }

    func delivers(to id: String) -> Bool { lane(of: id)?.registration.destination != nil }

    /// Whether an endpoint was removed, and something of it is under way or not recorded yet.
    func isLeaving(_ id: String) -> Bool {
        guard let lane = lane(of: id), lane.registration.destination == nil else { return false }
        return lane.inFlight > 0 || lane.backlog.unrecorded > 0
    }

    private func lane(of id: String) -> Lane? { lanes.indices[id].flatMap { lanes.slots[$0] } }

    /// Takes in that attempts which were to begin are not to be made here: their endpoints are removed.
    mutating func refuse(_ requests: [TransportRequest], now: Int64) {
        for request in requests { _ = remove(request.destination.endpoint.id) }
        finish(requests.map { TransportResult(request: $0, ending: .aborted) }, now: now) { 0 }
    }

    /// Begins nothing more at the endpoint until it is released as often as it was held.
    mutating func hold(_ id: String) { reread(id) { $0.registration.holds += 1 } }

    /// Undoes one ``hold(_:)``; does nothing if the endpoint was removed meanwhile.
    mutating func release(_ id: String) {
        reread(id) { $0.registration.holds = max($0.registration.holds - 1, 0) }
    }

    /// Reads the endpoint's queue again: what is due, and in which order, has changed in the store, or with the lane.
    mutating func reread(_ id: String, after change: (inout Lane) -> Void = { _ in }) {
        if let index = lanes.indices[id] { reread(index, after: change) }
    }

    private mutating func reread(_ index: Int, after change: (inout Lane) -> Void) {
        lanes.with(index, change)
        guard phase == .running else { return }
        lanes.with(index) { $0.reread() }
        settle(index)
    }

    /// Drops what is queued of a topic that was deleted. Attempts under way end as they began.
    mutating func forget(_ topic: String) {
        guard phase == .running else { return }
        for index in lanes.indices.values where lanes.with(index, { $0.forget(topic) }) { settle(index) }
    }

    /// Notes that the store has new due deliveries of the endpoint; returns whether that calls for a read.
    mutating func wake(_ id: String) -> Bool {
        guard let index = lanes.indices[id], lanes.with(index, { $0.reading.want() }) else { return false }
        settle(index)
        return lanes.slots[index]?.reading.isQueued == true
    }

    mutating func wakeAll() {
        for id in Array(lanes.indices.keys) { _ = wake(id) }
    }

    /// Whether deliveries that were just committed may go to the endpoint without being read: it has all that come before
    /// them, and space.
    func takesOffers(_ id: String, in format: Endpoint.Format) -> Bool {
        guard phase == .running, lanes.queuedBytes < limits.queuedBytes, let index = lanes.indices[id],
            let lane = lanes.slots[index]
        else { return false }
        return lane.isOpen && lane.reading == .idle && lane.backlog.queue.count < lane.readAhead
            && lane.registration.destination?.endpoint.format == format
    }

    /// Takes deliveries that were just committed; what must not be taken is read later.
    mutating func offer(_ id: String, in format: Endpoint.Format, _ deliveries: [DueDelivery]) {
        guard takesOffers(id, in: format), let index = lanes.indices[id] else {
            _ = wake(id)
            return
        }
        lanes.with(index) { _ = $0.takeNew(deliveries) }
        settle(index)
    }
}
