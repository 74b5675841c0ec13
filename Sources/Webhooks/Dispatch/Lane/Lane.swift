/// What the scheduler knows about one endpoint.
struct Lane {
    let id: String
    /// Whose turns it takes: ``Endpoint/owner`` as it was when the lane was made.
    let owner: String?

    var registration = RegisteredEndpoint()
    var backlog = Backlog()
    var reading = Reading.idle
    var turn = Turn.none
    var pace = Pace()
    var health = EndpointHealth()

    /// Its attempts that are under way.
    var threads = LaneThreads()

    /// Whether attempts are under way that had begun when the queue was to be read again.
    private var hasStaleAttempts = false

    /// When the store has more that is due, as it said when it was read last, or as was recorded since.
    var readAt = Int64.max

    /// The last delivery that was taken as new, or read: what is offered up to it was here.
    private var last = Int64.min

    init(id: String, owner: String?) { (self.id, self.owner) = (id, owner) }

    /// How many of its attempts are under way.
    var inFlight: Int { threads.count }

    var isOpen: Bool { registration.isOpen }

    /// Whether it has something to send and a slot for it.
    var canSend: Bool {
        let window = pace.isOneByOne ? min(registration.window, 1) : registration.window
        return isOpen && !backlog.queue.isEmpty && inFlight < window
    }

    /// The thread that makes its next attempt.
    func nextThread(of threads: DeliveryScheduler.Limits.Threads) -> SendingThread {
        guard health.steadiness.isSteady else { return .others }
        return self.threads.next(of: threads, window: registration.window)
    }

    /// Until when nothing begins. Of one that has just become ordered, others than the head may wait for a retry too.
    var heldUntil: Int64 {
        guard registration.isOrdered, let head = backlog.queue.first else { return pace.heldUntil }
        return max(pace.heldUntil, head.notBefore)
    }

    /// How many deliveries to read ahead: enough to keep a fast endpoint busy while the store is read, and no more than the
    /// window of one that has yet to answer.
    var readAhead: Int {
        guard health.trust.isProven else { return registration.window }
        return max(registration.window, min(1024, Self.leastReadAhead / backlog.averageCost))
    }

    /// The same in bytes. What is here is read again: so as much anew, or large ones would be read over and over.
    var readAheadBytes: Int { max(Self.leastReadAhead, backlog.heldBytes) }

    private static let leastReadAhead = 2 << 20

    /// Whether it is to be read, and has space for what the store may have.
    var canRead: Bool {
        isOpen && (reading == .wanted || reading.isQueued) && backlog.queue.count <= readAhead / 4 && !mustWaitForRecord
    }

    /// What it needs to read, beside its turn.
    var needToRead: Reading.Need {
        guard backlog.queue.isEmpty, inFlight == 0 else { return .budget }
        return health.trust.isProven ? .nothing : .nearness
    }

    /// Whether the store must not be read now. To one that is ordered it would answer of a head whose last attempt is not
    /// recorded yet that it is due at once, or leave it out.
    var mustWaitForRecord: Bool {
        registration.isOrdered && backlog.unrecorded > 0 && backlog.queue.isEmpty && inFlight == 0
    }

    /// When something is to be done about the lane if nothing else happens before; `nil` if nothing is.
    var nextTime: Int64? {
        guard isOpen else { return nil }
        var next = readAt
        if case .held(let until) = turn { next = min(next, until) }
        return next == .max ? nil : next
    }

    /// Whether nothing of it is outstanding any more.
    var isSettled: Bool {
        registration.destination == nil && inFlight == 0 && backlog.unrecorded == 0 && turn == .none
            && !reading.isQueued && !reading.isUnderWay
    }

    /// Takes in as what the endpoint is registered now.
    ///
    /// What has begun counts under a new rate too, and the brake stays on unless there is reason to hope.
    mutating func register(_ destination: Destination, share: Int) {
        let (old, new) = (registration.destination?.endpoint, destination.endpoint)
        let isSameURL = old?.url == new.url
        if !isSameURL || (old?.isEnabled == false && new.isEnabled) {
            pace.brake = Brake()
            health.resetFailures()
        }
        if !isSameURL { health.resetTrust() }
        if !new.isEnabled { health.failing = FailingTime() }
        if !new.ordered { pace.holdUntil = 0 }
        pace.rate = RateLimit(perSecond: new.ratePerSecond, after: pace.rate)
        registration.set(destination, share: share)
    }

    mutating func unregister() {
        registration.remove()
        backlog.dropQueue()
        health.resetTrust()
        pace.holdUntil = 0
        readAt = .max
    }

    /// Has the queue read again: what is due, and in which order, has changed in the store.
    mutating func reread() {
        backlog.dropQueue()
        reading.restart()
        hasStaleAttempts = inFlight > 0
    }

    /// Has the queue of one that is ordered read again when an attempt ends that had begun before it was to be. Its
    /// delivery may be gone, and of several that fail the last need not be the first in order. What is sent next is
    /// read once all of them are recorded.
    mutating func rereadAfterStaleAttempt() {
        if hasStaleAttempts, registration.isOrdered { reread() }
    }

    /// Has the queue read again if anything of a topic that was deleted may be here. Returns whether it may be.
    mutating func forget(_ topic: String) -> Bool {
        // A head that fails would hold back the rest.
        let mayHaveHead = registration.isOrdered && inFlight > 0
        guard mayHaveHead || reading.isUnderWay || backlog.contains(topic) else { return false }
        reread()
        return true
    }

    /// Queues deliveries that were offered, lowest id first, but for those that were read, and may be done with.
    mutating func takeNew(_ deliveries: [DueDelivery]) -> Int {
        take(last < deliveries.first?.id ?? .min ? deliveries : deliveries.filter { $0.id > last })
    }

    /// Queues deliveries that are not here yet; returns how many those were.
    mutating func take(_ deliveries: [DueDelivery]) -> Int {
        last = deliveries.reduce(last) { max($0, $1.id) }
        let fresh = deliveries.count { backlog.take($0) }
        // The head that was waited for before may be gone, or may have been renewed.
        if registration.isOrdered, inFlight == 0, let head = backlog.popFirst() { putFirst(head) }
        return fresh
    }

    /// Takes in that an attempt has an outcome, which is to be recorded.
    ///
    /// - Parameter retry: what then stands at the head of the queue and holds the rest back.
    mutating func end(_ id: Int64, retry: DueDelivery?) {
        guard let next = backlog.end(id) ?? retry, isOpen else { return }
        if registration.isOrdered { putFirst(next) } else { backlog.queue(next) }
    }

    private mutating func putFirst(_ head: DueDelivery) {
        backlog.queue(head, isFirst: true)
        pace.holdUntil = head.notBefore
    }
}
