import Randomness
import Notation
@testable import Webhooks

/// A dispatcher whose store, transport, clock and threads are played one step at a time, in any order they could take;
/// and what must hold of it whatever the order.
///
/// As in the hub, the log's one thread commits, offers what it committed, and records: between a commit and its offers
/// nothing is recorded, but everything else may happen. A delivery's id is its event's place: several endpoints have one
/// of the same.
struct DispatchModel {
    struct Key: Hashable, Comparable {
        let endpoint: String
        let id: Int64

        static func < (one: Key, other: Key) -> Bool { (one.endpoint, one.id) < (other.endpoint, other.id) }
    }

    struct Row {
        let bytes: Int
        /// Of some so many that a read ends at its bound on bytes.
        let storedBytes: Int
        var notBefore: Int64
        var attempts = 0
        var isPending = true
    }

    /// What the pump is at.
    enum Pump {
        case running
        case waiting
        /// It reads: what the store answers, once it has.
        case reading(DeliveryScheduler.Read, DueDeliveries?)
    }

    /// What the store's writer is at.
    enum Recorder {
        case idle
        case called([AttemptOutcome])
        /// They are recorded, and the dispatcher has yet to hear it.
        case recorded
    }

    private(set) var random: SeededGenerator
    private(set) var problems: [String] = []
    private(set) var offersTaken = 0

    private var scheduler: DeliveryScheduler
    private var isPumpSignalled = false
    private var pump = Pump.running
    private var recorder = Recorder.idle
    /// The store's time.
    private(set) var now: Int64 = 1_700_000_000_000
    /// How far the clock of the day is ahead of that.
    private var ahead: Int64 = 0
    private var timeOfDay: Int64 { now + ahead }
    /// When the dispatcher is to be called if nothing happens before.
    private(set) var callAt = Int64.max
    private let policy: RetryPolicy

    /// For how long each endpoint has been failing in all, as its outcomes say.
    private(set) var failing: [String: Int64] = [:]
    /// Since when each endpoint can have been tried without a break, and for how long in all before.
    private var openSince: [String: Int64] = [:]
    private var open: [String: Int64] = [:]

    private var rows: [Key: Row] = [:]
    private var lastID: Int64 = 0
    /// Committed, and not offered yet, in order.
    private var offers: [(endpoint: String, format: Endpoint.Format, ids: [Int64])] = []

    private(set) var endpoints: [String: Endpoint] = [:]
    private var holds: [String: Int] = [:]
    private var gone: Set<String> = []
    private(set) var underWay: [TransportRequest] = []
    /// When they began, by token.
    private var begunAt: [UInt64: Int64] = [:]
    /// Deliveries that need no more attempt.
    private var settled: Set<Key> = []
    private var attempts: [Key: Int] = [:]
    /// Deliveries of topics that were deleted.
    private var deleted: Set<Key> = []
    private var retryAt: [Key: Int64] = [:]

    static let quickly = RetryPolicy(
        schedule: [.milliseconds(5), .milliseconds(30), .milliseconds(200), .seconds(3)],
        jitter: 0
    )

    init(seed: UInt64, endpoints: [Endpoint], policy: RetryPolicy = quickly) {
        random = SeededGenerator(seed: seed)
        self.policy = policy
        var limits = DeliveryScheduler.Limits()
        limits.inFlight = 16
        limits.threads = .init(steady: 1 + Int(seed % 3), leastShare: 1)
        limits.perName = seed % 2 == 0 ? 1 : 3
        limits.queuedBytes = 3 << 20
        limits.unrecordedPerLane = 5
        limits.recordBatch = 6
        limits.recordDelay = 10
        limits.recordAtOnce = 8
        scheduler = DeliveryScheduler(limits: limits, policy: policy)
        for endpoint in endpoints { set(endpoint) }
    }

    // MARK: What may happen

    /// Commits deliveries to some endpoints; they wait to be offered. Does nothing while others do.
    mutating func commit() {
        guard offers.isEmpty else { return }
        let first = lastID + 1
        lastID += .random(in: 1...4, using: &random)
        for endpoint in endpoints.values.sorted(by: { $0.id < $1.id }) where Bool.random(using: &random) {
            let ids = Array(Int64.random(in: first...lastID, using: &random)...lastID)
            for id in ids {
                rows[Key(endpoint: endpoint.id, id: id)] = Row(
                    bytes: .random(in: 0...40, using: &random),
                    storedBytes: Int.random(in: 0..<4, using: &random) == 0 ? 1 << 20 : 0,
                    notBefore: now
                )
            }
            // Sometimes twice, for patterns that overlap, and in the format of the registration before.
            for _ in 0..<(Int.random(in: 0..<5, using: &random) == 0 ? 2 : 1) {
                let isLate = Int.random(in: 0..<8, using: &random) == 0
                let format = isLate ? Endpoint.Format.allCases.randomElement(using: &random) : nil
                offers.append((endpoint.id, format ?? endpoint.format, ids))
            }
        }
    }

    /// Offers what was committed first, or tells of it only.
    mutating func offer() {
        guard !offers.isEmpty else { return }
        let (endpoint, format, ids) = offers.removeFirst()
        if scheduler.takesOffers(endpoint, in: format) { offersTaken += 1 }
        if Int.random(in: 0..<10, using: &random) == 0 {
            if scheduler.wake(endpoint) { update { _ in } }
        } else {
            let deliveries = ids.map { delivery(Key(endpoint: endpoint, id: $0), in: format) }
            update { $0.offer(endpoint, in: format, deliveries) }
        }
    }

    /// Lets the pump take its next step: the beginning of a read, what the store answers, or its end.
    mutating func stepPump(failing: Bool = false) {
        switch pump {
        case .waiting:
            guard isPumpSignalled else { return }
            isPumpSignalled = false
            pump = .running
        case .running:
            pump = scheduler.takeRead(now: now).map { .reading($0, nil) } ?? .waiting
        case .reading(let read, nil) where !failing:
            // What the store has now; it is taken in later.
            pump = .reading(read, due(read))
        case .reading(let read, let due):
            pump = .running
            update { [now] scheduler in
                scheduler.finish(read, failing ? nil : due, now: now)
            }
        }
    }

    /// Lets the store's writer take its next step: to record, or to say that it has.
    mutating func stepRecorder(failing: Bool = false) {
        switch recorder {
        case .idle: break
        case .called where failing:
            recorder = .idle
            update { [now] in $0.recordFailed(now: now) }
        case .called(let outcomes):
            // It has to offer first.
            guard offers.isEmpty else { return }
            record(outcomes)
            recorder = .recorded
        case .recorded:
            recorder = .idle
            update { $0.recorded() }
        }
    }

    /// Ends an attempt.
    mutating func end(with answer: AttemptAnswer) {
        guard let place = underWay.indices.randomElement(using: &random) else { return }
        end(place, with: answer)
    }

    mutating func end(_ place: Int, with answer: AttemptAnswer) {
        let request = underWay.remove(at: place)
        var answer = answer
        let duration = now - (begunAt.removeValue(forKey: request.token) ?? now)
        answer.timings = AttemptTimings(total: duration * 1000)
        let id = key(request)
        attempts[id, default: 0] += 1
        switch policy.result(of: answer, attempts: attempts[id] ?? 0, now: 0, timeOfDay: timeOfDay, jitter: 0) {
        case .retry(let delay): retryAt[id] = now + delay
        case .gone:
            settled.insert(id)
            gone.insert(request.destination.endpoint.id)
        case .delivered, .dead: settled.insert(id)
        }
        let result = TransportResult(request: request, ending: .answered(answer), timeOfDay: timeOfDay)
        update { [now] in $0.finish([result], now: now) { 0 } }
    }

    /// Registers anew, as it is or in another format.
    mutating func setAny(isEnabled: Bool) {
        guard var endpoint = anyEndpoint() else { return }
        endpoint.isEnabled = isEnabled
        if Bool.random(using: &random) { endpoint.format = .allCases.randomElement(using: &random) ?? .raw }
        set(endpoint)
    }

    /// Registers anew, with order where there was none or without.
    mutating func setAnyOrder() {
        guard var endpoint = anyEndpoint() else { return }
        endpoint.ordered.toggle()
        endpoint.owner = Bool.random(using: &random) ? "other" : nil
        set(endpoint)
    }

    /// Deletes a topic with what is pending of it, once all that was committed is offered, and tells of it.
    mutating func deleteAnyTopic() {
        guard offers.isEmpty else { return }
        let topic = topic(of: .random(in: 0...lastID, using: &random))
        for key in rows.keys where self.topic(of: key.id) == topic {
            rows[key] = nil
            deleted.insert(key)
        }
        update { $0.forget(topic) }
    }

    mutating func rereadAny() {
        guard let endpoint = anyEndpoint() else { return }
        update { $0.reread(endpoint.id) }
    }

    mutating func holdAny() {
        guard let endpoint = anyEndpoint() else { return }
        holds[endpoint.id, default: 0] += 1
        update { $0.hold(endpoint.id) }
    }

    mutating func releaseAny() {
        guard let endpoint = anyEndpoint(), holds[endpoint.id, default: 0] > 0 else { return }
        holds[endpoint.id, default: 0] -= 1
        update { $0.release(endpoint.id) }
    }

    /// Sets the clock of the day.
    mutating func step(_ milliseconds: Int64) {
        ahead += milliseconds
    }

    /// How far the clock of the day is ahead of the date that an endpoint names.
    func date(in milliseconds: Int64) -> RetryAfter { .date(timeOfDay + milliseconds) }

    /// Kills the hub, sets the clock of the day while it is down, and starts it again: what was not recorded is lost, and
    /// the store's time goes on where it was, by as much as the clock says, but never back.
    mutating func restart(downFor milliseconds: Int64, step: Int64) {
        check()
        for id in openSince.keys { close(id) }
        let timeOfDay = timeOfDay
        now += max(milliseconds + step, 0)
        ahead = timeOfDay + milliseconds + step - now
        scheduler = DeliveryScheduler(limits: scheduler.limits, policy: policy)
        (pump, recorder, callAt, underWay, offers, holds, gone) = (.running, .idle, .max, [], [], [:], [])
        settled = Set(rows.filter { !$0.value.isPending }.keys)
        attempts = rows.mapValues(\.attempts)
        retryAt = rows.mapValues(\.notBefore)
        for endpoint in endpoints.values.sorted(by: { $0.id < $1.id }) { set(endpoint) }
    }

    /// Unregisters an endpoint, and registers another in its place.
    mutating func replace(_ id: String, by other: String) {
        guard var endpoint = endpoints.removeValue(forKey: id) else { return }
        close(id)
        let tokens = scheduler.remove(id)
        let aborted = underWay.filter { tokens.contains($0.token) }
        underWay.removeAll { tokens.contains($0.token) }
        update { [now] in $0.finish(aborted.map { TransportResult(request: $0, ending: .aborted) }, now: now) { 0 } }
        rows = rows.filter { $0.key.endpoint != id }
        offers.removeAll { $0.endpoint == id }
        holds[id] = nil
        endpoint.id = other
        set(endpoint)
    }

    /// Forgets what is settled and recorded.
    mutating func forget() {
        let done = rows.filter { !$0.value.isPending }.keys
        for id in done { (rows[id], attempts[id], retryAt[id]) = (nil, nil, nil) }
        settled.subtract(done)
    }

    /// Whether nothing happens before time passes.
    var isAtRest: Bool {
        guard case .waiting = pump, case .idle = recorder else { return false }
        return !isPumpSignalled && offers.isEmpty && underWay.isEmpty
    }

    /// Notes what should not be.
    mutating func note(_ problem: String) {
        problems.append(problem)
    }

    /// How many deliveries are pending.
    var pending: Int { rows.values.count(where: \.isPending) }

    /// How much is remembered, by kind.
    var sizes: [String: Int] {
        let (lanes, present) = (scheduler.lanes, scheduler.lanes.slots.compactMap(\.self))
        let (turns, waiting) = (scheduler.turns, scheduler.turns.waiting.values.reduce(0) { $0 + $1.count })
        return [
            "lanes": lanes.slots.count + lanes.indices.count,
            "timers": lanes.timers.size,
            "turns": turns.queued.count + turns.parked.count + waiting + scheduler.readers.count,
            "deliveries": present.reduce(0) { $0 + $1.backlog.size },
            "attempts": scheduler.attempts.underWay.count,
            "beginnings": scheduler.attempts.recent.count,
            "outcomes": scheduler.outcomes.count,
        ]
    }

    mutating func pass(_ milliseconds: Int64) {
        check()
        now += milliseconds
        if callAt <= now { update { _ in } }
    }

    /// Lets everything end well, with nothing to help but the alarms that are set.
    mutating func settle() {
        for (id, count) in holds { for _ in 0..<count { update { $0.release(id) } } }
        holds = [:]
        for var endpoint in endpoints.values where !endpoint.isEnabled || gone.contains(endpoint.id) {
            endpoint.isEnabled = true
            set(endpoint)
        }
        var idle: Int64 = 0
        let began = now
        let longest = policy.schedule.reduce(0) { $0 + $1.milliseconds } + RetryPolicy.longestRetryAfter.milliseconds
        while idle < longest / 60_000 + 3, problems.isEmpty {
            while true {
                offer()
                if !underWay.isEmpty { end(with: AttemptAnswer(status: 200)) }
                if isAtRest { break }
                stepRecorder()
                stepPump()
            }
            if rows.values.allSatisfy({ !$0.isPending }) { break }
            let delay = max(min(callAt, now + 60_000) - now, 0)
            idle = delay >= 59_000 ? idle + 1 : 0
            pass(delay)
        }
        let lost = rows.filter { $0.value.isPending || !settled.contains($0.key) }.keys.sorted()
        if !lost.isEmpty { problems.append("never settled: \(lost)") }
        if now - began > longest + 60_000 { problems.append("took \(now - began) ms") }
        if scheduler.lanes.queuedBytes != 0 || scheduler.attempts.inFlight != 0 {
            problems.append("something is left")
        }
    }

    // MARK: What must hold

    private func key(_ request: TransportRequest) -> Key {
        Key(endpoint: request.destination.endpoint.id, id: request.delivery.id)
    }

    private mutating func check(_ request: TransportRequest) {
        let (id, endpoint) = (key(request), request.destination.endpoint)
        func must(_ condition: Bool, _ what: String) {
            if !condition { problems.append("\(id) \(what)") }
        }
        must(!underWay.contains { key($0) == id }, "is under way already")
        must(!settled.contains(id), "is settled already")
        must(!deleted.contains(id), "is deleted already")
        must(request.delivery.attempts == attempts[id] ?? 0, "has had another number of attempts")
        must(now >= retryAt[id] ?? 0, "is not due yet")
        must(endpoint == endpoints[endpoint.id], "goes to what is no longer registered")
        must(request.delivery.contentType == endpoint.format.rawValue, "is in another format")
        must(endpoint.isEnabled && !gone.contains(endpoint.id), "goes to one that is disabled")
        must(holds[endpoint.id, default: 0] == 0, "goes to one that is held")
        guard endpoint.ordered else { return }
        let isFirst = !rows.keys.contains { $0.endpoint == endpoint.id && $0 < id && !settled.contains($0) }
        must(isFirst, "is not the first")
    }

    /// Between two moments: the books are right, and the dispatcher does not sleep past what is due.
    private mutating func check() {
        var scheduler = self.scheduler
        let lanes = scheduler.lanes.slots.compactMap(\.self)
        if scheduler.lanes.queuedBytes != lanes.reduce(0, { $0 + $1.backlog.bytes }) {
            problems.append("the bytes that are queued are counted wrong")
        }
        for lane in lanes
        where lane.backlog.heldBytes < lane.backlog.bytes || lane.backlog.count == 0 && lane.backlog.heldBytes != 0 {
            problems.append("the bytes that are here are counted wrong")
        }
        checkSizes(scheduler, lanes)
        for lane in lanes where isKeptWaiting(lane, by: scheduler) {
            problems.append("\(lane.id) waits although there is room")
        }
        let steps = scheduler.advance(to: now)
        if !steps.begin.isEmpty || !steps.record.isEmpty || steps.next < callAt {
            problems.append("the dispatcher sleeps past what is due")
        }
        guard case .waiting = pump, !isPumpSignalled else { return }
        // What is over the budget in bytes waits its turn, so there may be some that it cannot do.
        if scheduler.takeRead(now: now) != nil { problems.append("the pump sleeps while it has work") }
    }

    /// Whether a lane waits although its first delivery may be attempted. Nothing else is to happen now.
    private func isKeptWaiting(_ lane: Lane, by scheduler: DeliveryScheduler) -> Bool {
        let trust = lane.health.trust
        let isCrowded = scheduler.attempts.inFlight >= scheduler.limits.inFlight / 2
        return lane.canSend && lane.heldUntil <= now
            && scheduler.attempts.hasRoom && scheduler.attempts.shares.hasRoom(for: trust.standing(at: now))
            && (!isCrowded || trust.isProven || lane.inFlight == 0)
            && scheduler.outcomes.count < scheduler.limits.unrecorded
    }

    /// What is remembered is bounded by what there is, and what is remembered twice is the same.
    private mutating func checkSizes(_ scheduler: DeliveryScheduler, _ lanes: [Lane]) {
        func must(_ condition: Bool, _ what: String) {
            if !condition { problems.append(what) }
        }
        let (turns, attempts) = (scheduler.turns, scheduler.attempts)
        must(scheduler.lanes.timers.size <= 2 * lanes.count + 16, "there are more timers than lanes")
        must(turns.queued.count == lanes.count { $0.turn == .queued }, "a lane is queued twice, or not")
        must(turns.parked.count == lanes.count { $0.turn == .parked }, "a lane is parked that is not")
        for (standing, waiting) in turns.waiting {
            must(waiting.count == lanes.count { $0.turn == .waiting(standing) }, "a lane waits that does not")
        }
        must(scheduler.readers.count == lanes.count(where: \.reading.isQueued), "a lane is to be read twice, or not")
        for lane in lanes where lane.reading.isQueued {
            must(lane.reading == .queued(lane.needToRead), "a lane waits for what it does not need")
            must(lane.isOpen && !lane.mustWaitForRecord, "a lane is to be read that must not be")
        }
        must(Set(attempts.underWay.keys) == Set(underWay.map(\.token)), "attempts are remembered that have ended")
        must(attempts.underWay.count == lanes.reduce(0) { $0 + $1.inFlight }, "attempts are counted wrong")
        for lane in lanes {
            let threads = underWay.filter { $0.destination.endpoint.id == lane.id }.map(\.thread)
            for number in 0..<scheduler.limits.threads.steady {
                let count = threads.count { $0 == .steady(number) }
                must(lane.threads.count(on: number) == count, "a thread's attempts are counted wrong")
            }
        }
        let weight = attempts.underWay.values.reduce(0) { $0 + $1.weight }
        must(attempts.inFlight == weight, "the shares are counted wrong")
        let slow = attempts.underWay.values.count(where: \.isSlow)
        must(slow == lanes.reduce(0) { $0 + $1.health.trust.slowUnderWay }, "slow ones are counted wrong")
    }

    // MARK: The rest of the dispatcher

    private mutating func set(_ endpoint: Endpoint) {
        close(endpoint.id)
        if endpoint.isEnabled { openSince[endpoint.id] = now }
        endpoints[endpoint.id] = endpoint
        gone.remove(endpoint.id)
        update { $0.set(Destination(endpoint)) }
    }

    /// Adds up for how long an endpoint could be tried.
    private mutating func close(_ id: String) {
        guard let since = openSince[id] else { return }
        open[id, default: 0] += now - since
        openSince[id] = nil
    }

    /// An endpoint cannot have been failing for longer than it could be tried.
    private mutating func note(_ outcome: AttemptOutcome) {
        let id = outcome.endpoint
        failing[id, default: 0] += outcome.failing
        let most = open[id, default: 0] + (openSince[id].map { now - $0 } ?? 0)
        if outcome.failing < 0 || failing[id, default: 0] > most {
            problems.append("\(id) has been failing for \(failing[id] ?? 0) ms of \(most)")
        }
    }

    private mutating func update(_ change: (inout DeliveryScheduler) -> Void) {
        change(&scheduler)
        let steps = scheduler.advance(to: now)
        for request in steps.begin {
            check(request)
            underWay.append(request)
            begunAt[request.token] = now
        }
        if !steps.abort.isEmpty { problems.append("an end that nobody asked for") }
        if !steps.record.isEmpty {
            if case .idle = recorder {} else { problems.append("two transactions at a time") }
            recorder = .called(steps.record)
        }
        callAt = steps.next
        if scheduler.wantsRead(now: now) { isPumpSignalled = true }
    }

    private mutating func record(_ outcomes: [AttemptOutcome]) {
        for outcome in outcomes {
            note(outcome)
            let id = Key(endpoint: outcome.endpoint, id: outcome.delivery)
            rows[id]?.attempts = outcome.attempts
            if case .retry(let notBefore) = outcome.result {
                rows[id]?.notBefore = notBefore
            } else {
                rows[id]?.isPending = false
            }
        }
    }

    private func due(_ read: DeliveryScheduler.Read) -> DueDeliveries {
        let pending = rows.filter { $0.key.endpoint == read.endpoint.id && $0.value.isPending }.keys
        let deliveries = pending.map { delivery($0, in: read.endpoint.format) }
        return .of(deliveries, to: read.endpoint, at: read.at, limit: read.limit, byteLimit: read.byteLimit)
    }

    private func topic(of id: Int64) -> String { "t\(id % 4)" }

    private func delivery(_ key: Key, in format: Endpoint.Format) -> DueDelivery {
        let row = rows[key] ?? Row(bytes: 0, storedBytes: 0, notBefore: 0)
        return DueDelivery(
            id: key.id,
            eventID: "e\(key.id)",
            topic: topic(of: key.id),
            contentType: format.rawValue,
            body: [UInt8](repeating: 0, count: row.bytes),
            attempts: row.attempts,
            notBefore: row.notBefore,
            storedBytes: row.storedBytes
        )
    }

    private mutating func anyEndpoint() -> Endpoint? {
        endpoints.keys.sorted().randomElement(using: &random).flatMap { endpoints[$0] }
    }
}
