/// What the scheduler knows about one endpoint: its window, its queue, and when the store has more for it.
struct Lane {
    let id: String

    /// The registration; `nil` once removed. The lane itself goes when nothing of it is outstanding any more.
    var target: Target?

    /// The most of its attempts that may be under way, whatever the endpoint would take.
    var share = 1

    /// Counts registrations and removals: what was read for an earlier one is not sent for a later one.
    var epoch = 0

    /// Whether the endpoint answered 410. Holds until it is registered anew.
    var isGone = false

    /// How many have asked that nothing be sent: while they change what is pending, say.
    var holds = 0

    /// Deliveries read from the store and not yet begun.
    var queue = Queue<Delivery>()

    /// Bytes of the bodies in `queue`.
    var queuedBytes = 0

    /// Deliveries that are queued, in flight, or finished and not yet recorded, by id: pending in the store, but ours.
    var tracked: [Int64: TrackedDelivery] = [:]

    /// Deliveries that were made anew while they were queued or in flight, as they were read then.
    var renewed: [Int64: Delivery] = [:]

    /// Tokens of the attempts under way.
    var inFlight: Set<UInt64> = []

    /// Outcomes not yet recorded.
    var unrecorded = 0

    /// Whether the store may have due deliveries that are not tracked.
    var isDirty = false

    /// Whether a read is under way, or waits for its turn.
    var isFetching = false
    var isInFetchRing = false

    /// Whether the lane waits for its turn to send.
    var isInSendRing = false

    /// Whether it waits for the total in flight to fall, see ``DeliveryScheduler``.
    var isParked = false

    /// Whether it waits for others of its standing to end.
    var isWaiting = false

    /// How many of the attempts under way are slow.
    var slowUnderWay = 0

    /// Whether any attempt has ended.
    private var hasEnded = false

    /// How many attempts must end promptly before the endpoint counts as one that answers: one that hangs now and then
    /// would take a slot with each good answer, and keep it.
    private var promptEndingsWanted = 0

    /// When an attempt ended last that did not hang.
    private(set) var answeredAt: Int64?

    /// What is known of whether the endpoint answers, the best first.
    enum Standing: Hashable, CaseIterable {
        /// It did just now: within the last second.
        case prompt
        /// It did when it was asked last.
        case proven
        /// Nothing yet.
        case unknown
        /// It hangs, or takes long.
        case slow
    }

    /// How long an attempt may take that is prompt, in milliseconds.
    static let promptTime: Int64 = 1000

    /// How long an attempt took that speaks against its endpoint, in milliseconds.
    private static let hangingTime: Int64 = 5000

    /// How many prompt endings make up for one that was not.
    private static let endingsForTrust = 8

    /// A moving average of body sizes in bytes, to bound how much is read ahead.
    var averageBody = 1024

    /// When the store has more that is due, as it said when it was read last, or as was recorded since.
    var readAt = Int64.max

    /// Nothing begins before this time: an ordered head waits for its retry, or the rate is used up.
    var holdUntil: Int64 = 0

    /// Nothing begins before this time: the machine had no descriptors or memory for the last attempt.
    private var restUntil: Int64 = 0

    /// How many attempts in a row could not be made for that.
    private var shortages = 0

    /// The first rest, and the longest: one in a row is twice as long as the one before.
    private static let rests: ClosedRange<Int64> = 1000...16_000

    var rate: RateLimit?

    /// How many attempts have failed since one did not.
    private(set) var failures = 0

    /// Holds an endpoint back that fails every time: one that refuses at once could otherwise be tried ten thousand times
    /// a second, which nobody gains by and everybody pays for. The more failures in a row, the harder; the first success
    /// takes it off.
    var brake: RateLimit?

    /// How long it has been failing.
    var failing = FailingTime()

    /// What the operator was told of the endpoint.
    var news = EndpointNews()

    /// Whether any attempt has succeeded.
    private var hasSucceeded = false

    /// So many failures in a row, and the brake is put on;
    private static let failuresToBrake = 16

    /// of an endpoint that never worked, so many while others are answered.
    private static let firstFailuresToBrake = 4

    init(id: String) {
        self.id = id
    }

    /// Whether attempts may be made at all.
    var isOpen: Bool {
        guard let target else { return false }
        return target.endpoint.isEnabled && !isGone && holds == 0
    }

    /// How many attempts may be under way: one at a time while it is braked, or attempts cannot be made.
    var window: Int {
        brake == nil && shortages == 0 ? min(target?.window ?? 0, share) : 1
    }

    /// Whether the endpoint answers, as far as is known.
    var isProven: Bool { hasEnded && slowUnderWay == 0 && promptEndingsWanted == 0 }

    func standing(at now: Int64) -> Standing {
        guard hasEnded || slowUnderWay > 0 else { return .unknown }
        guard isProven else { return .slow }
        return answeredAt.map { now - $0 < Self.promptTime } == true ? .prompt : .proven
    }

    /// Forgets whether the endpoint answers.
    mutating func forgetStanding() {
        hasEnded = false
        promptEndingsWanted = 0
        answeredAt = nil
    }

    /// Until when nothing begins, whatever for.
    var heldUntil: Int64 { max(holdUntil, restUntil) }

    /// Takes in that an attempt could not be made here.
    ///
    /// - Parameter spread: chance, -1 to 1: all that could not be made at this moment would be tried together again.
    mutating func rest(at now: Int64, spread: Double) {
        // Of several that were under way together, the first says it all.
        guard restUntil <= now else { return }
        let rest = min(Self.rests.lowerBound << Int64(min(shortages, 10)), Self.rests.upperBound)
        restUntil = now + Int64(Double(rest) * (1 + spread / 4))
        shortages += 1
    }

    /// Takes in how an attempt ended that could be made.
    mutating func noteAnswer(_ answer: AttemptAnswer, now: Int64) {
        shortages = 0
        hasEnded = true
        if answer.failure == .timeout || answer.duration >= Self.hangingTime {
            promptEndingsWanted = Self.endingsForTrust
        } else {
            // One that a machine held up for a moment goes on at once.
            answeredAt = now
            if answer.duration < Self.promptTime { promptEndingsWanted = max(promptEndingsWanted - 1, 0) }
        }
    }

    /// Whether the last attempt that ended has succeeded.
    var answersWell: Bool { hasSucceeded && failures == 0 }

    /// Whether the lane may be forgotten.
    var isSettled: Bool {
        target == nil && inFlight.isEmpty && unrecorded == 0 && !isFetching && !isInFetchRing && !isInSendRing
            && !isParked && !isWaiting
    }

    /// How many deliveries to read ahead: enough to keep a fast endpoint busy while the store is read (about 2 MiB of
    /// bodies), and no more than the window of one that has yet to answer.
    var readAhead: Int {
        guard let target else { return 0 }
        let window = min(target.window, share)
        guard isProven else { return window }
        return max(window, min(1024, 2_097_152 / max(averageBody, 256)))
    }

    /// Whether the queue is short enough that more should be read.
    var isRunningLow: Bool {
        queue.count <= readAhead / 4
    }

    /// Whether the store must not be read now. To one that is ordered it would tell of a head whose last attempt is not
    /// recorded yet that it is due at once, or leave it out.
    var mustWaitForRecord: Bool {
        target?.endpoint.ordered == true && unrecorded > 0 && queue.isEmpty && inFlight.isEmpty
    }

    /// Whether more is to be read as soon as outcomes are recorded.
    var isHeldByRecord: Bool { isDirty && mustWaitForRecord }

    /// Whether all that the store has due is here.
    var isUpToDate: Bool { !isDirty && !isFetching }

    /// When something is to be done about the lane if nothing else happens before; `nil` if nothing is.
    func nextTime(after now: Int64) -> Int64? {
        guard isOpen else { return nil }
        var next = readAt
        if heldUntil > now, !queue.isEmpty { next = min(next, heldUntil) }
        return next == .max ? nil : next
    }

    /// Notes how an attempt ended.
    ///
    /// - Parameters:
    ///   - areOthersAnswered: whether other endpoints have something of it if this one is tried less often.
    ///   - spread: chance, -1 to 1: endpoints that began to fail together would be tried all at the same moment, and
    ///     whatever else is due then would wait for them.
    mutating func noteEnding(hasFailed: Bool, areOthersAnswered: Bool, spread: Double) {
        guard hasFailed else {
            forgive()
            hasSucceeded = true
            return
        }
        failures += 1
        let patience = hasSucceeded || !areOthersAnswered ? Self.failuresToBrake : Self.firstFailuresToBrake
        guard failures >= patience else { return }
        // 100 a second at first, half as many when the failures have doubled, but enough to notice a recovery. While
        // others are answered, enough for that is one.
        let perSecond = areOthersAnswered ? 1 : max(1_600 / Double(failures), 40)
        brake = RateLimit(perSecond: perSecond * (1 + spread / 4), after: brake)
    }

    /// Takes in how an attempt ended; returns how much longer the endpoint has been failing, in milliseconds.
    mutating func noteFailing(_ outcome: AttemptOutcome, of delivery: Delivery, at now: Int64) -> Int64 {
        guard outcome.failure != nil else {
            failing.succeed(at: now)
            return 0
        }
        var retry: Int64?
        if case .retry(let notBefore) = outcome.result { retry = notBefore }
        let due = delivery.attempts > 0 ? delivery.notBefore : nil
        // What was under way when it was paused: the retry does not come while it is.
        defer { if target?.endpoint.isEnabled != true { failing.end() } }
        return failing.fail(due: due, duration: outcome.duration, retry: retry, at: now)
    }

    /// Forgets how attempts ended: the endpoint may be another one now.
    mutating func forgive() {
        failures = 0
        brake = nil
        hasSucceeded = false
    }
}
