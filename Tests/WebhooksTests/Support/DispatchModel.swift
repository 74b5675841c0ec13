@testable import Webhooks

/// A dispatcher whose store, transport, clock and threads are played one step at a time, in any order they could take;
/// and what must hold of it whatever the order.
///
/// As in the hub, the log's one thread commits, offers what it committed, and records: between a commit and its offers
/// nothing is recorded, but everything else may happen.
struct DispatchModel {
    struct Row {
        let endpoint: String
        let bytes: Int
        var notBefore: Int64
        var attempts = 0
        var isPending = true
    }

    /// What the pump is at.
    enum Pump {
        case running
        case waiting
        /// A call of the store: what it has read, once it has.
        case calling(DeliveryScheduler.Job, read: DueDeliveries?)
    }

    private(set) var random: SplitMix
    private(set) var problems: [String] = []
    private(set) var offersTaken = 0

    private var state: WebhookDispatcher.State
    private var pump = Pump.running
    /// The store's time.
    private(set) var now: Int64 = 1_700_000_000_000
    /// How far the clock of the day is ahead of that.
    private var ahead: Int64 = 0
    private var timeOfDay: Int64 { now + ahead }
    private(set) var alarms: [Int64] = []
    private let policy: RetryPolicy

    /// For how long each endpoint has been failing in all, as its outcomes say.
    private(set) var failing: [String: Int64] = [:]
    /// Since when each endpoint can have been tried without a break, and for how long in all before.
    private var openSince: [String: Int64] = [:]
    private var open: [String: Int64] = [:]

    private var rows: [Int64: Row] = [:]
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
    private var settled: Set<Int64> = []
    private var attempts: [Int64: Int] = [:]
    private var retryAt: [Int64: Int64] = [:]

    static let quickly = RetryPolicy(
        schedule: [.milliseconds(5), .milliseconds(30), .milliseconds(200), .seconds(3)],
        jitter: 0
    )

    init(seed: UInt64, endpoints: [Endpoint], policy: RetryPolicy = quickly) {
        random = SplitMix(seed: seed)
        self.policy = policy
        var limits = DeliveryScheduler.Limits()
        limits.inFlight = 16
        limits.perName = seed % 2 == 0 ? 1 : 3
        limits.queuedBytes = 300
        limits.unrecordedPerLane = 5
        limits.recordBatch = 6
        limits.recordDelay = 10
        limits.recordAtOnce = 8
        state = WebhookDispatcher.State(scheduler: DeliveryScheduler(limits: limits, policy: policy))
        for endpoint in endpoints { set(endpoint) }
    }

    // MARK: What may happen

    /// Commits deliveries to some endpoints; they wait to be offered. Does nothing while others do.
    mutating func commit() {
        guard offers.isEmpty else { return }
        for endpoint in endpoints.values.sorted(by: { $0.id < $1.id }) where Bool.random(using: &random) {
            var ids: [Int64] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                lastID += 1
                ids.append(lastID)
                rows[lastID] = Row(endpoint: endpoint.id, bytes: .random(in: 0...40, using: &random), notBefore: now)
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
        if state.scheduler.takesOffers(endpoint, in: format) { offersTaken += 1 }
        if Int.random(in: 0..<10, using: &random) == 0 {
            if state.scheduler.wake(endpoint) { _ = state.signalPump() }
        } else {
            let deliveries = ids.map { delivery($0, in: format) }
            update { $0.offer(endpoint, in: format, deliveries) }
        }
    }

    /// Lets the pump take its next step: a job, or the end of one.
    mutating func stepPump(failing: Bool = false) {
        switch pump {
        case .waiting:
            guard state.isPumpSignalled else { return }
            state.isPumpSignalled = false
            pump = .running
        case .running:
            state.scheduler.fireTimers(now: now)
            take()
            let job = state.scheduler.nextJob(now: now)
            if case .wait(let time) = job {
                setAlarm(min(time ?? .max, now + 60_000))
                pump = .waiting
            } else {
                pump = .calling(job, read: nil)
            }
        case .calling(let job, nil) where !failing:
            // What the store has now; it is taken in later.
            if case .fetch(let fetch) = job { pump = .calling(job, read: due(fetch)) } else { finish(job, DueDeliveries([])) }
        case .calling(let job, let read):
            if failing { pump = .running }
            if failing { update { [now] in $0.storeFailed(job, now: now) } } else { finish(job, read ?? DueDeliveries([])) }
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
        let id = request.delivery.id
        attempts[id, default: 0] += 1
        switch policy.result(of: answer, attempts: attempts[id] ?? 0, now: 0, timeOfDay: timeOfDay, spread: 0) {
        case .retry(let delay): retryAt[id] = now + delay
        case .gone:
            settled.insert(id)
            gone.insert(request.target.endpoint.id)
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
        state = WebhookDispatcher.State(scheduler: DeliveryScheduler(limits: state.scheduler.limits, policy: policy))
        (pump, alarms, underWay, offers, holds, gone) = (.running, [], [], [], [:], [])
        settled = Set(rows.filter { !$0.value.isPending }.keys)
        attempts = rows.mapValues(\.attempts)
        retryAt = rows.mapValues(\.notBefore)
        for endpoint in endpoints.values.sorted(by: { $0.id < $1.id }) { set(endpoint) }
    }

    /// Unregisters an endpoint, and registers another in its place.
    mutating func replace(_ id: String, by other: String) {
        guard var endpoint = endpoints.removeValue(forKey: id) else { return }
        close(id)
        let tokens = state.scheduler.remove(id)
        let aborted = underWay.filter { tokens.contains($0.token) }
        underWay.removeAll { tokens.contains($0.token) }
        update { [now] in $0.finish(aborted.map { TransportResult(request: $0, ending: .aborted) }, now: now) { 0 } }
        rows = rows.filter { $0.value.endpoint != id }
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
        guard case .waiting = pump else { return false }
        return !state.isPumpSignalled && offers.isEmpty && underWay.isEmpty
    }

    /// Notes what should not be.
    mutating func note(_ problem: String) {
        problems.append(problem)
    }

    /// How many deliveries are pending.
    var pending: Int { rows.values.count(where: \.isPending) }

    /// How much is remembered, by kind.
    var sizes: [String: Int] {
        state.scheduler.sizes.merging(["alarms": state.alarms.count]) { $1 }
    }

    mutating func pass(_ milliseconds: Int64) {
        check()
        now += milliseconds
        for time in alarms where time <= now {
            if let place = state.alarms.firstIndex(of: time) { state.alarms.remove(at: place) }
            _ = state.signalPump()
        }
        alarms.removeAll { $0 <= now }
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
                stepPump()
            }
            if rows.values.allSatisfy({ !$0.isPending }) { break }
            let delay = max((alarms.min() ?? now) - now, 0)
            idle = delay >= 59_000 ? idle + 1 : 0
            pass(delay)
        }
        let lost = rows.filter { $0.value.isPending || !settled.contains($0.key) }.keys.sorted()
        if !lost.isEmpty { problems.append("never settled: \(lost)") }
        if now - began > longest + 60_000 { problems.append("took \(now - began) ms") }
        if state.scheduler.queuedBytes != 0 || state.scheduler.inFlight != 0 { problems.append("something is left") }
    }

    // MARK: What must hold

    private mutating func take() {
        for request in state.scheduler.takeAttempts(now: now) {
            check(request)
            underWay.append(request)
            begunAt[request.token] = now
        }
    }

    private mutating func check(_ request: TransportRequest) {
        let (id, endpoint) = (request.delivery.id, request.target.endpoint)
        func must(_ condition: Bool, _ what: String) {
            if !condition { problems.append("\(id) to \(endpoint.id) \(what)") }
        }
        must(!underWay.contains { $0.delivery.id == id }, "is under way already")
        must(!settled.contains(id), "is settled already")
        must(request.delivery.attempts == attempts[id] ?? 0, "has had another number of attempts")
        must(now >= retryAt[id] ?? 0, "is not due yet")
        must(endpoint == endpoints[endpoint.id], "goes to what is no longer registered")
        must(request.delivery.contentType == endpoint.format.rawValue, "is in another format")
        must(endpoint.isEnabled && !gone.contains(endpoint.id), "goes to one that is disabled")
        must(holds[endpoint.id, default: 0] == 0, "goes to one that is held")
        guard endpoint.ordered else { return }
        let isFirst = !rows.contains { $0.key < id && $0.value.endpoint == endpoint.id && !settled.contains($0.key) }
        must(isFirst, "is not the first")
    }

    /// Between two moments: the books are right, and the pump does not sleep past what is due.
    private mutating func check() {
        var scheduler = state.scheduler
        if scheduler.queuedBytes != scheduler.lanes.reduce(0, { $0 + ($1?.queuedBytes ?? 0) }) {
            problems.append("the bytes that are queued are counted wrong")
        }
        checkSizes(scheduler)
        guard case .waiting = pump, !state.isPumpSignalled else { return }
        for case let lane? in scheduler.lanes where isKeptWaiting(lane, by: scheduler) {
            problems.append("\(lane.id) waits although there is room")
        }
        let alarm = state.alarms.min() ?? .max
        if !alarms.contains(alarm) { problems.append("the alarm is not set") }
        if scheduler.timers.earliest ?? .max < alarm { problems.append("the pump sleeps past a timer") }
        guard now >= scheduler.storeRetryAt else { return }
        if !scheduler.unrecorded.isEmpty, scheduler.recordAt < alarm {
            problems.append("the pump sleeps past outcomes")
        }
        // What is over the budget in bytes waits its turn, so there may be some that it cannot do.
        guard case .wait = scheduler.nextJob(now: now) else {
            return problems.append("the pump sleeps while it has work")
        }
    }

    /// Whether a lane waits although its first delivery may be attempted. Nothing else is to happen now.
    private func isKeptWaiting(_ lane: Lane, by scheduler: DeliveryScheduler) -> Bool {
        let standing = lane.standing(at: now)
        let isCrowded = scheduler.inFlight >= scheduler.limits.inFlight / 2
        return lane.isOpen && !lane.queue.isEmpty && lane.inFlight.count < lane.window && lane.heldUntil <= now
            && scheduler.hasRoom && scheduler.shares.hasRoom(for: standing)
            && (!isCrowded || lane.isProven || lane.inFlight.isEmpty)
            && scheduler.unrecorded.count + scheduler.recording.count < scheduler.limits.unrecorded
    }

    /// What is remembered is bounded by what there is.
    private mutating func checkSizes(_ scheduler: DeliveryScheduler) {
        func must(_ condition: Bool, _ what: String) {
            if !condition { problems.append(what) }
        }
        let lanes = scheduler.lanes.count { $0 != nil }
        let shares = scheduler.shares
        must(scheduler.timers.count <= lanes, "there are more timers than lanes")
        must(scheduler.parked.count == Set(scheduler.parked).count, "a lane is parked twice")
        let waiting = scheduler.waiting.values.flatMap { $0 }
        must(waiting.count == Set(waiting).count, "a lane waits twice")
        must(shares.proven + shares.unknown + shares.slow == scheduler.inFlight, "the shares are counted wrong")
        must(scheduler.slow.isSubset(of: underWay.map(\.token)), "slow ones are remembered that have ended")
        let slow = scheduler.lanes.reduce(0) { $0 + ($1?.slowUnderWay ?? 0) }
        must(slow == scheduler.slow.count, "slow ones are counted wrong")
    }

    // MARK: The rest of the dispatcher

    private mutating func set(_ endpoint: Endpoint) {
        close(endpoint.id)
        if endpoint.isEnabled { openSince[endpoint.id] = now }
        endpoints[endpoint.id] = endpoint
        gone.remove(endpoint.id)
        update { $0.set(endpoint) }
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
        // The answers of the model take no time.
        if outcome.failing < 0 || failing[id, default: 0] > most {
            problems.append("\(id) has been failing for \(failing[id] ?? 0) ms of \(most)")
        }
    }

    private mutating func update(_ change: (inout DeliveryScheduler) -> Void) {
        change(&state.scheduler)
        take()
        _ = state.signalPumpIfNeeded(now: now)
    }

    private mutating func setAlarm(_ time: Int64) {
        guard !state.alarms.contains(where: { $0 <= time }) else { return }
        state.alarms.append(time)
        alarms.append(time)
    }

    private mutating func finish(_ job: DeliveryScheduler.Job, _ read: DueDeliveries) {
        switch job {
        case .record(let outcomes):
            // The thread that records has to offer first.
            guard offers.isEmpty else { return }
            record(outcomes)
            update { [now] in $0.recorded(now: now) }
        case .fetch(let fetch): update { [now] in $0.fetched(fetch, read, now: now) }
        case .abort, .wait, .finished: problems.append("an end that nobody asked for")
        }
        pump = .running
    }

    private mutating func record(_ outcomes: [AttemptOutcome]) {
        for outcome in outcomes {
            note(outcome)
            rows[outcome.delivery]?.attempts = outcome.attempts
            if case .retry(let notBefore) = outcome.result {
                rows[outcome.delivery]?.notBefore = notBefore
            } else {
                rows[outcome.delivery]?.isPending = false
            }
        }
    }

    private func due(_ fetch: DeliveryScheduler.Fetch) -> DueDeliveries {
        let pending = rows.filter { $0.value.endpoint == fetch.endpoint.id && $0.value.isPending }.keys
        return .of(
            pending.map { delivery($0, in: fetch.endpoint.format) },
            to: fetch.endpoint,
            at: fetch.at,
            limit: fetch.limit
        )
    }

    private func delivery(_ id: Int64, in format: Endpoint.Format) -> Delivery {
        let row = rows[id] ?? Row(endpoint: "", bytes: 0, notBefore: 0)
        return Delivery(
            id: id,
            endpoint: row.endpoint,
            eventID: "e\(id)",
            topic: "t",
            contentType: format.rawValue,
            body: [UInt8](repeating: 0, count: row.bytes),
            attempts: row.attempts,
            notBefore: row.notBefore
        )
    }

    private mutating func anyEndpoint() -> Endpoint? {
        endpoints.keys.sorted().randomElement(using: &random).flatMap { endpoints[$0] }
    }
}
