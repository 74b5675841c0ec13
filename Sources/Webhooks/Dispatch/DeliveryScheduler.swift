/// Decides what is read, sent and recorded, and when. Pure: no locks, no I/O, time and chance are given to it.
///
/// - All times are the store's, in milliseconds: a clock that does not step.
/// - Each endpoint has a lane with a window of its own (`maxInFlight`), so a hanging one uses up only its own slots.
/// - The total in flight is bounded and shared round-robin over the lanes that have something due.
/// - One lane gets an eighth of it at most, and one slot only once half of it is in use, unless it has proved that it
///   answers in time.
/// - Lanes that are slow get half of it together, with those that have yet to answer three quarters. An attempt counts as
///   slow when it has taken a second, not only when it has timed out. Of what slow ones leave, those that answer take no
///   more than a part before they have answered again: see ``Shares``. So endpoints that hang cannot take all of it,
///   however many they are and however well they answered before, and those that answer always find room.
/// - What this machine has no descriptors or memory for is no attempt: its lane rests for a moment, and nothing is counted.
/// - What is read ahead is bounded in bytes; beyond, a lane that has nothing gets one delivery at a time.
struct DeliveryScheduler {
    /// Bounds that are the same for all lanes.
    struct Limits {
        var inFlight = 1024
        /// What an attempt at an endpoint that has a name counts for: to look it up takes descriptors, too.
        var perName = 1
        /// Single attempts at a time to one host: whoever tries an endpoint out wants few, and each may hang.
        var probesPerHost = 4
        var queuedBytes = 67_108_864
        /// Outcomes waiting to be recorded before nothing more is begun: a store that fails must not cost memory.
        var unrecorded = 8192
        /// Outcomes of one lane waiting to be recorded before more is read for it: a read returns those again, because
        /// the store has them pending, and one of thousands would hold up everybody.
        var unrecordedPerLane = 512
        /// The most outcomes in one transaction: about 3 ms, which is what posts may have to wait for it.
        var recordBatch = 256
        /// How long an outcome may wait for others before they are recorded, in milliseconds,
        var recordDelay: Int64 = 0
        /// and how many make it not wait.
        var recordAtOnce = 64
    }

    enum Phase: Equatable {
        case running
        /// No new attempts; those under way have until this time.
        case stopping(deadline: Int64)
    }

    let limits: Limits
    let policy: RetryPolicy
    var phase = Phase.running

    var lanes: [Lane?] = []
    var indices: [String: Int] = [:]
    var freeLanes: [Int] = []

    var sendRing = Queue<Int>()
    var parked: [Int] = []
    /// Lanes that wait for the share of their standing to fall.
    var waiting: [Lane.Standing: [Int]] = [:]
    var takesLastAnswered = false
    var shares: Shares
    /// The attempts that began within the last second, and perhaps some that have ended, the oldest first.
    var begun = Queue<Beginning>()
    /// Those under way that began before.
    var slow: Set<UInt64> = []
    var fetchRing = Queue<Int>()
    var timers = TimerHeap()

    /// Attempts under way, also those that belong to no lane, as ``Limits/perName`` counts them.
    var inFlight = 0
    /// The same, each counted as one.
    var requestsUnderWay = 0
    /// The hosts of the attempts that belong to no lane, by token.
    var probes: [UInt64: String] = [:]
    var queuedBytes = 0
    /// When an attempt succeeded last, at any endpoint.
    var answeredAt: Int64 = 0
    var nextToken: UInt64 = 0

    var unrecorded: [AttemptOutcome] = []
    /// When they are to be recorded, if they are not many before.
    var recordAt: Int64 = .max
    /// Outcomes handed to the store, until it has them.
    var recording: [AttemptOutcome] = []
    /// Whether the job before was to record.
    var hasRecorded = false

    /// After an error the store is left alone until this time.
    var storeRetryAt: Int64 = 0
    var storeFailures = 0

    init(limits: Limits, policy: RetryPolicy) {
        self.limits = limits
        self.policy = policy
        shares = Shares(total: limits.inFlight)
    }

    /// Whether ``nextJob(now:)`` has something for the store at once.
    func hasStoreWork(now: Int64) -> Bool {
        mustRecord(now: now) || !fetchRing.isEmpty || (phase != .running && inFlight == 0)
    }

    /// When there is something to do if nothing happens before.
    var nextTime: Int64 {
        min(timers.earliest ?? .max, unrecorded.isEmpty ? .max : recordAt, nextSlowAt)
    }

    // MARK: Registrations

    /// Adds or replaces an endpoint. Its queue is read anew; attempts under way end as they began.
    ///
    /// What has begun counts under a new rate too, and the brake stays on unless there is reason to hope.
    mutating func set(_ endpoint: Endpoint) {
        guard phase == .running else { return }
        let index = indices[endpoint.id] ?? makeLane(endpoint.id)
        let target = Target(endpoint)
        let share = max(limits.inFlight / 8 / weight(of: target), 1)
        withLane(index) { lane in
            let present = lane.target?.endpoint
            if present?.url != endpoint.url || (present?.isEnabled == false && endpoint.isEnabled) {
                lane.forgive()
                lane.news = EndpointNews()
                lane.failing.end()
            }
            if !endpoint.isEnabled { lane.failing.end() }
            if present?.url != endpoint.url { lane.forgetStanding() }
            lane.target = target
            lane.share = share
            lane.isGone = false
            lane.rate = RateLimit(perSecond: endpoint.ratePerSecond, after: lane.rate)
            if !endpoint.ordered { lane.holdUntil = 0 }
        }
        reread(index)
    }

    /// Reads the endpoint's queue anew: what is due, and in which order, has changed in the store.
    mutating func reread(_ id: String) {
        if let index = indices[id] { reread(index) }
    }

    /// Begins nothing more at the endpoint until it is released as often as it was held.
    mutating func hold(_ id: String) {
        guard let index = indices[id] else { return }
        withLane(index) { $0.holds += 1 }
        reread(index)
    }

    /// Undoes one ``hold(_:)``; does nothing if the endpoint was removed meanwhile.
    mutating func release(_ id: String) {
        guard let index = indices[id] else { return }
        withLane(index) { $0.holds = max($0.holds - 1, 0) }
        reread(index)
    }

    /// Reads the queue of a lane anew.
    mutating func reread(_ index: Int) {
        guard phase == .running else { return }
        withLane(index) { lane in
            lane.epoch += 1
            lane.isDirty = true
        }
        dropQueue(index)
        requestFetch(index)
    }

    /// Removes an endpoint; returns the attempts to abort.
    mutating func remove(_ id: String) -> [UInt64] {
        guard let index = indices[id] else { return [] }
        dropQueue(index)
        let tokens = withLane(index) { lane in
            lane.target = nil
            lane.holds = 0
            lane.epoch += 1
            lane.forgetStanding()
            lane.readAt = .max
            lane.holdUntil = 0
            return Array(lane.inFlight)
        }
        forgetIfSettled(index)
        return tokens
    }

    /// Notes that the store has new due deliveries of the endpoint; returns whether that calls for a read.
    mutating func wake(_ id: String) -> Bool {
        guard let index = indices[id], lanes[index]?.isDirty == false else { return false }
        lanes[index]?.isDirty = true
        requestFetch(index)
        return lanes[index]?.isInFetchRing == true
    }

    /// Whether deliveries that were just committed may go to the endpoint without being read: it has all that come before
    /// them, and room.
    func takesOffers(_ id: String, in format: Endpoint.Format) -> Bool {
        guard phase == .running, queuedBytes < limits.queuedBytes, let index = indices[id], let lane = lanes[index]
        else {
            return false
        }
        return lane.isOpen && lane.isUpToDate && lane.queue.count < lane.readAhead
            && lane.target?.endpoint.format == format
    }

    /// Takes deliveries that were just committed; what must not be taken is read later.
    mutating func offer(_ id: String, in format: Endpoint.Format, _ deliveries: [Delivery]) {
        guard takesOffers(id, in: format), let index = indices[id] else {
            _ = wake(id)
            return
        }
        queuedBytes += withLane(index) { lane in
            let bytes = deliveries.reduce(0) { $0 + (lane.take($1) ?? 0) }
            // The head that was waited for before may be gone.
            if lane.target?.endpoint.ordered == true { lane.waitForHead() }
            return bytes
        }
        requestSend(index)
    }

    /// Begins the end: nothing more is read or begun.
    mutating func stop(deadline: Int64) {
        guard phase == .running else { return }
        phase = .stopping(deadline: deadline)
    }

    // MARK: Lanes

    @discardableResult
    mutating func withLane<Result>(_ index: Int, _ body: (inout Lane) -> Result) -> Result {
        guard lanes.indices.contains(index), lanes[index] != nil else {
            // Indices come from this struct's own tables; a lane goes only when nothing refers to it.
            preconditionFailure("no lane \(index)")
        }
        return body(&lanes[index]!)
    }

    private mutating func makeLane(_ id: String) -> Int {
        let index: Int
        if let free = freeLanes.popLast() {
            lanes[free] = Lane(id: id)
            index = free
        } else {
            index = lanes.count
            lanes.append(Lane(id: id))
        }
        indices[id] = index
        return index
    }

    mutating func forgetIfSettled(_ index: Int) {
        guard let lane = lanes[index], lane.isSettled else { return }
        indices[lane.id] = nil
        lanes[index] = nil
        timers.set(nil, for: index)
        freeLanes.append(index)
    }

    mutating func dropQueue(_ index: Int) {
        let bytes = withLane(index) { lane in
            defer { lane.dropQueue() }
            return lane.queuedBytes
        }
        queuedBytes -= bytes
    }

    /// Sets the lane's timer to the next thing it waits for.
    mutating func arm(_ index: Int, now: Int64) {
        // What is due is still to be fired, and not part of what is next.
        if let time = timers.time(of: index), time <= now { return }
        timers.set(withLane(index) { $0.nextTime(after: now) }, for: index)
    }
}
