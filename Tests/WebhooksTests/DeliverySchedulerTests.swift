import Testing

@testable import Webhooks

/// The scheduler without sockets or clocks: a store that answers at once, and attempts that end when a test says so.
@Suite("DeliveryScheduler")
struct DeliverySchedulerTests {
    /// Plays the store and the transport.
    struct Play {
        var scheduler: DeliveryScheduler
        var now: Int64 = 1_700_000_000_000
        /// Pending rows: due time by id, per endpoint.
        var rows: [String: [Int64: Int64]] = [:]
        var attempts: [Int64: Int] = [:]
        var renewals: [Int64: Int64] = [:]
        var bodies = 10
        var underWay: [TransportRequest] = []
        var recorded: [AttemptOutcome] = []
        var fetches = 0
        var asks = 0
        var waitsUntil: Int64?
        var isFinished = false

        init(inFlight: Int = 1024, queuedBytes: Int = 1_000_000, schedule: [Duration] = [.seconds(5), .seconds(60)]) {
            var limits = DeliveryScheduler.Limits()
            limits.inFlight = inFlight
            limits.queuedBytes = queuedBytes
            scheduler = DeliveryScheduler(limits: limits, policy: RetryPolicy(schedule: schedule, jitter: 0))
        }

        mutating func set(
            _ id: String,
            maxInFlight: Int = 16,
            isEnabled: Bool = true,
            ordered: Bool = false,
            ratePerSecond: Double? = nil,
            url: String = "http://example.com/"
        ) throws {
            scheduler.set(
                Endpoint(
                    id: id,
                    url: try WebhookURL(url, httpsOnly: false),
                    secrets: SigningSecrets(.generate()),
                    maxInFlight: maxInFlight,
                    isEnabled: isEnabled,
                    ordered: ordered,
                    ratePerSecond: ratePerSecond
                )
            )
        }

        mutating func add(_ count: Int, to endpoint: String, notBefore: Int64 = 0) {
            let last = rows.values.flatMap(\.keys).max() ?? 0
            for id in 1...Int64(count) { rows[endpoint, default: [:]][last + id] = notBefore }
        }

        /// Runs jobs until there are none.
        mutating func run() {
            for _ in 0..<100_000 {
                scheduler.fireTimers(now: now)
                underWay += scheduler.takeAttempts(now: now)
                let job = scheduler.nextJob(now: now)
                switch job {
                case .record(let outcomes):
                    recorded += outcomes
                    for outcome in outcomes {
                        guard outcome.renewals == renewals[outcome.delivery] ?? 0 else { continue }
                        attempts[outcome.delivery] = outcome.attempts
                        if case .retry(let time) = outcome.result {
                            rows[outcome.endpoint]?[outcome.delivery]? = time
                        } else {
                            rows[outcome.endpoint]?[outcome.delivery] = nil
                        }
                    }
                    scheduler.recorded(now: now)
                case .fetch(let fetch):
                    fetches += 1
                    let due = (rows[fetch.endpoint.id] ?? [:]).filter { $0.value <= fetch.at }.keys.sorted()
                    let deliveries = due.prefix(fetch.limit).map { id in
                        Delivery(
                            id: id,
                            endpoint: fetch.endpoint.id,
                            eventID: "e\(id)",
                            topic: "t",
                            body: [UInt8](repeating: 0, count: bodies),
                            renewals: renewals[id] ?? 0,
                            attempts: attempts[id] ?? 0,
                            notBefore: rows[fetch.endpoint.id]?[id] ?? 0
                        )
                    }
                    scheduler.fetched(fetch, deliveries, now: now)
                case .ask(let ask):
                    asks += 1
                    scheduler.asked(ask, rows[ask.id]?.values.min(), now: now)
                case .abort(let tokens):
                    abort(tokens)
                case .wait(let time):
                    waitsUntil = time
                    return
                case .finished:
                    isFinished = true
                    return
                }
            }
            Issue.record("the scheduler never rests")
        }

        /// Has a delivery made anew, and the scheduler told.
        mutating func renew(_ id: Int64, of endpoint: String) {
            rows[endpoint, default: [:]][id] = now
            renewals[id, default: 0] += 1
            attempts[id] = 0
            scheduler.reread(endpoint)
        }

        /// Ends the attempts that satisfy a condition with an answer.
        mutating func end(_ answer: AttemptAnswer, where isMeant: (TransportRequest) -> Bool = { _ in true }) {
            let ended = underWay.filter(isMeant)
            underWay.removeAll(where: isMeant)
            let results = ended.map { TransportResult(request: $0, ending: .answered(answer)) }
            scheduler.finish(results, now: now) { 0 }
            underWay += scheduler.takeAttempts(now: now)
            run()
        }

        mutating func abort(_ tokens: [UInt64]) {
            let ended = underWay.filter { tokens.contains($0.token) }
            underWay.removeAll { tokens.contains($0.token) }
            scheduler.finish(ended.map { TransportResult(request: $0, ending: .aborted) }, now: now) { 0 }
        }

        /// Lets time pass, timer by timer.
        mutating func advance(to time: Int64) {
            while let next = waitsUntil, next <= time {
                now = max(now, next)
                run()
                if waitsUntil == next { break }
            }
            now = time
            run()
        }

        func count(_ endpoint: String) -> Int { underWay.count { $0.target.endpoint.id == endpoint } }
        var ids: [Int64] { underWay.map(\.delivery.id) }
    }

    static let ok = AttemptAnswer(status: 200)
    static let error = AttemptAnswer(status: 500, failure: .status)
    static let timeout = AttemptAnswer(failure: .timeout)

    @Test("never exceeds an endpoint's window, and delivers everything exactly once")
    func window() throws {
        var play = Play()
        play.add(1000, to: "a")
        try play.set("a", maxInFlight: 7)
        play.run()
        var seen: [Int64] = []
        while !play.underWay.isEmpty {
            #expect(play.count("a") <= 7)
            let first = try #require(play.underWay.first)
            seen.append(first.delivery.id)
            play.end(Self.ok) { $0.token == first.token }
        }
        #expect(seen.sorted() == Array(1...1000))
        #expect(play.rows["a"]?.isEmpty == true)
        #expect(play.scheduler.inFlight == 0)
        #expect(play.scheduler.queuedBytes == 0)
    }

    @Test("shares the bound on all fairly, and keeps room for those who answer while others hang")
    func fairness() throws {
        var play = Play(inFlight: 64)
        for index in 0..<10 {
            play.add(200, to: "hanging\(index)")
            try play.set("hanging\(index)")
        }
        play.run()
        // Half of the bound went to the first, by turns; the rest got one each.
        #expect(play.underWay.count <= 64)
        for index in 0..<10 { #expect(play.count("hanging\(index)") >= 1) }
        play.add(500, to: "answering")
        try play.set("answering")
        play.run()
        #expect(play.count("answering") == 1)
        play.end(Self.ok) { $0.target.endpoint.id == "answering" }
        #expect(play.count("answering") == 16)
        while play.count("answering") > 0 { play.end(Self.ok) { $0.target.endpoint.id == "answering" } }
        #expect(play.rows["answering"]?.isEmpty == true)
        #expect(play.underWay.count <= 64)
    }

    @Test("those that stopped answering give way to the others once half of the bound is in use")
    func suspects() throws {
        var play = Play(inFlight: 32, schedule: [.milliseconds(1), .milliseconds(1), .milliseconds(1)])
        play.add(100, to: "a")
        play.add(100, to: "b")
        try play.set("a")
        try play.set("b")
        play.run()
        play.end(Self.timeout)
        #expect(play.underWay.count >= 16)
        #expect(play.underWay.count <= 18)
    }

    @Test("retries when due and not before, then gives up")
    func retries() throws {
        var play = Play()
        play.add(1, to: "a")
        try play.set("a")
        play.run()
        let start = play.now
        play.end(Self.error)
        #expect(play.recorded.map(\.result) == [.retry(notBefore: start + 5000)])
        play.advance(to: start + 4999)
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 5000)
        #expect(play.ids == [1])
        play.end(Self.error)
        play.advance(to: start + 64_999)
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 65_000)
        #expect(play.ids == [1])
        play.end(Self.error)
        #expect(play.recorded.last?.result == .dead)
        #expect(play.recorded.map(\.attempts) == [1, 2, 3])
        play.advance(to: play.now + 2000)
        #expect(play.waitsUntil == nil)
    }

    @Test("a retry is on time while another delivery of the endpoint hangs")
    func retryBesideHanging() throws {
        var play = Play()
        play.add(2, to: "a")
        try play.set("a")
        play.run()
        let start = play.now
        play.end(Self.error) { $0.delivery.id == 2 }
        play.advance(to: start + 5000)
        #expect(play.ids == [1, 2])
    }

    @Test("picks up retries from before a restart when they are due, also while others are in flight")
    func restart() throws {
        var play = Play()
        play.add(1, to: "a")
        play.add(1, to: "a", notBefore: play.now + 3000)
        play.add(1, to: "a", notBefore: play.now + 9000)
        try play.set("a")
        play.run()
        #expect(play.ids == [1])
        play.advance(to: play.now + 4000)
        #expect(play.ids == [1, 2])
        play.end(Self.ok)
        play.advance(to: play.now + 5000)
        #expect(play.ids == [3])
    }

    @Test("rests when there is nothing to do: no reads, no questions, no timer")
    func rests() throws {
        var play = Play()
        try play.set("a")
        play.run()
        #expect(play.fetches == 1)
        #expect(play.asks == 1)
        #expect(play.waitsUntil == nil)
        play.add(1, to: "a")
        let calls1 = play.scheduler.wake("a")
        #expect(calls1)
        let calls2 = play.scheduler.wake("a")
        #expect(!calls2)
        play.run()
        play.end(Self.ok)
        #expect(play.fetches == 2)
        #expect(play.asks == 1)
        #expect(play.waitsUntil == nil)
    }

    @Test("a disabled endpoint gets nothing, and everything once it is enabled")
    func disabled() throws {
        var play = Play()
        play.add(3, to: "a")
        try play.set("a", isEnabled: false)
        play.run()
        let calls3 = play.scheduler.wake("a")
        #expect(!calls3)
        play.run()
        #expect(play.underWay.isEmpty)
        #expect(play.fetches == 0)
        try play.set("a")
        play.run()
        #expect(play.ids == [1, 2, 3])
    }

    @Test("410 ends it until the endpoint is set anew")
    func gone() throws {
        var play = Play()
        play.add(5, to: "a")
        try play.set("a", maxInFlight: 1)
        play.run()
        play.end(AttemptAnswer(status: 410, failure: .status))
        #expect(play.recorded.map(\.result) == [.gone])
        #expect(play.underWay.isEmpty)
        let calls4 = play.scheduler.wake("a")
        #expect(!calls4)
        play.run()
        #expect(play.underWay.isEmpty)
        try play.set("a", maxInFlight: 1)
        play.run()
        #expect(play.ids == [2])
    }

    @Test("removal names the attempts to abort, forgets the lane, and a new registration starts afresh")
    func removal() throws {
        var play = Play()
        play.add(20, to: "a")
        try play.set("a", maxInFlight: 2)
        play.run()
        let tokens = play.scheduler.remove("a")
        #expect(Set(tokens) == Set(play.underWay.map(\.token)))
        #expect(play.scheduler.queuedBytes == 0)
        play.abort(tokens)
        play.run()
        #expect(play.scheduler.indices.isEmpty)
        #expect(play.recorded.isEmpty)
        try play.set("a", maxInFlight: 2)
        play.run()
        #expect(play.ids == [1, 2])
    }

    @Test("an endpoint removed and set again while attempts are being aborted sends each delivery once at a time")
    func removalAndReturn() throws {
        var play = Play()
        play.add(2, to: "a")
        try play.set("a", maxInFlight: 2)
        play.run()
        let tokens = play.scheduler.remove("a")
        try play.set("a", maxInFlight: 2)
        play.run()
        #expect(play.ids == [1, 2])
        play.abort(tokens)
        play.run()
        #expect(play.ids == [1, 2])
        #expect(Set(play.underWay.map(\.token)).isDisjoint(with: tokens))
    }

    @Test("lanes come and go without a trace")
    func churn() throws {
        var play = Play()
        for index in 0..<500 {
            play.add(3, to: "e\(index)")
            try play.set("e\(index)")
            play.run()
            if index.isMultiple(of: 2) { play.end(Self.ok) }
            play.abort(play.scheduler.remove("e\(index)"))
            play.run()
        }
        #expect(play.scheduler.indices.isEmpty)
        #expect(play.scheduler.lanes.count <= 2)
        #expect(play.scheduler.inFlight == 0)
    }

    @Test("an ordered endpoint is served one at a time, in sequence; a failing head holds the rest back")
    func ordered() throws {
        var play = Play()
        play.add(3, to: "a")
        try play.set("a", ordered: true)
        play.run()
        #expect(play.ids == [1])
        let start = play.now
        play.end(Self.error)
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 4999)
        #expect(play.underWay.isEmpty)
        play.advance(to: start + 5000)
        #expect(play.ids == [1])
        #expect(play.underWay.first?.delivery.attempts == 1)
        play.end(Self.ok)
        #expect(play.ids == [2])
        play.end(Self.ok)
        #expect(play.ids == [3])
        play.end(Self.ok)
        #expect(play.rows["a"]?.isEmpty == true)
    }

    @Test("an ordered head that waits is waited for after a restart")
    func orderedRestart() throws {
        var play = Play()
        play.add(1, to: "a", notBefore: play.now + 2000)
        play.add(2, to: "a")
        try play.set("a", ordered: true)
        play.run()
        #expect(play.underWay.isEmpty)
        play.advance(to: play.now + 2000)
        #expect(play.ids == [1])
    }

    @Test("a rate limit spaces attempts out")
    func rate() throws {
        var play = Play()
        play.add(100, to: "a")
        try play.set("a", maxInFlight: 1000, ratePerSecond: 10)
        play.run()
        #expect((1...2).contains(play.underWay.count))
        play.advance(to: play.now + 3000)
        #expect((30...33).contains(play.underWay.count))
    }

    @Test("one that is braked for longer than a retry waits is tried again when the brake lets it, and not forgotten")
    func brakeOutlastsRetry() throws {
        var play = Play(schedule: Array(repeating: .milliseconds(20), count: 10_000))
        play.add(2, to: "a")
        try play.set("a", ordered: true)
        play.run()
        var failures = 0
        while failures < 500 {
            if play.underWay.isEmpty {
                let next = try #require(play.waitsUntil)
                try #require(next <= play.now + 100)
                play.advance(to: next)
            } else {
                failures += 1
                play.end(Self.error)
            }
        }
    }

    @Test("what has begun counts against the rate when the registration is replaced, also under another rate")
    func rateGoesOn() throws {
        var play = Play()
        play.add(1000, to: "a")
        for step in 0..<50 {
            try play.set("a", maxInFlight: 1000, ratePerSecond: step < 25 ? 10 : 20)
            play.run()
            play.scheduler.reread("a")
            play.run()
        }
        #expect((1...4).contains(play.underWay.count))
        play.advance(to: play.now + 1000)
        #expect((20...25).contains(play.underWay.count))
        // A rate that was far slower does not hold back the one in its place.
        try play.set("b", ratePerSecond: 0.001)
        play.add(10, to: "b")
        play.run()
        try play.set("b", maxInFlight: 1000, ratePerSecond: 1000)
        play.run()
        play.advance(to: play.now + 20)
        #expect(play.count("b") == 10)
    }

    @Test("the brake stays on when a registration is replaced, unless by another URL or by enabling it again")
    func brakeStays() throws {
        var play = Play(schedule: [.seconds(3600)])
        play.add(1000, to: "a")
        try play.set("a", maxInFlight: 100)
        play.run()
        play.end(Self.error)
        func isBraked() -> Bool { play.scheduler.lanes[0]?.brake != nil }
        #expect(isBraked())
        try play.set("a", maxInFlight: 50)
        play.scheduler.reread("a")
        #expect(isBraked())
        try play.set("a", isEnabled: false)
        #expect(isBraked())
        try play.set("a")
        #expect(!isBraked())
        for _ in 0..<20 { play.scheduler.withLane(0) { $0.noteEnding(hasFailed: true, areOthersAnswered: false, spread: 0) } }
        #expect(isBraked())
        try play.set("a", url: "http://example.com/other")
        #expect(!isBraked())
    }

    @Test("nothing is begun while it is held, by however many; then all is, in order")
    func hold() throws {
        var play = Play()
        play.add(3, to: "a")
        try play.set("a", ordered: true)
        play.run()
        play.scheduler.hold("a")
        play.scheduler.hold("a")
        play.end(Self.ok)
        #expect(play.underWay.isEmpty)
        try play.set("a", ordered: true)
        play.run()
        #expect(play.underWay.isEmpty)
        play.scheduler.release("a")
        play.run()
        #expect(play.underWay.isEmpty)
        play.renew(1, of: "a")
        play.scheduler.release("a")
        play.run()
        for id in Int64(1)...3 {
            #expect(play.ids == [id])
            play.end(Self.ok)
        }
        #expect(play.rows["a"]?.isEmpty == true)
    }

    @Test("what is made anew while an attempt is under way is due when that has ended", arguments: [false, true])
    func renewed(ordered: Bool) throws {
        for answer in [Self.ok, Self.error, Self.timeout] {
            var play = Play(schedule: [.seconds(3600)])
            play.add(2, to: "a")
            try play.set("a", maxInFlight: 1, ordered: ordered)
            play.run()
            play.renew(1, of: "a")
            play.run()
            #expect(play.ids == [1])
            play.end(answer)
            if !ordered { play.end(Self.ok) { $0.delivery.id == 2 } }
            #expect(play.ids == [1])
            #expect(play.underWay.first?.delivery.renewals == 1 && play.underWay.first?.delivery.attempts == 0)
            play.end(Self.ok)
            play.end(Self.ok)
            #expect(play.rows["a"]?.isEmpty == true)
            #expect(play.scheduler.queuedBytes == 0 && play.scheduler.inFlight == 0)
        }
    }

    @Test("an ordered head that waits for its retry is neither sent early nor overtaken when its queue is read anew")
    func rereadWhileHeadIsUnrecorded() throws {
        var play = Play()
        play.add(3, to: "a")
        try play.set("a", ordered: true)
        play.run()
        let results = play.underWay.map { TransportResult(request: $0, ending: .answered(Self.error)) }
        play.underWay = []
        play.scheduler.finish(results, now: play.now) { 0 }
        play.scheduler.reread("a")
        play.run()
        #expect(play.underWay.isEmpty)
        play.advance(to: play.now + 5_000)
        #expect(play.ids == [1] && play.underWay.first?.delivery.attempts == 1)
    }

    @Test("an endpoint whose attempts end faster than they are recorded keeps no other from being read")
    func recordingAndReadingInTurn() throws {
        var play = Play()
        try play.set("fast", maxInFlight: 1024)
        try play.set("other")
        play.add(4_000, to: "fast")
        play.run()
        let results = play.underWay.map { TransportResult(request: $0, ending: .answered(Self.ok)) }
        play.scheduler.finish(results, now: play.now) { 0 }
        play.add(1, to: "other")
        _ = play.scheduler.wake("other")
        var jobs: [String] = []
        while jobs.count < 10 {
            switch play.scheduler.nextJob(now: play.now) {
            case .record:
                jobs.append("record")
                play.scheduler.recorded(now: play.now)
            case .fetch(let fetch):
                jobs.append("fetch \(fetch.endpoint.id)")
                play.scheduler.fetched(fetch, [], now: play.now)
            default: jobs.append("-")
            }
        }
        let fetch = try #require(jobs.firstIndex(of: "fetch other"))
        let lastRecord = try #require(jobs.lastIndex(of: "record"))
        #expect(fetch < lastRecord, "\(jobs)")
    }

    @Test("an endpoint that fails every time is tried at a bounded rate, and at full speed after one success")
    func braking() throws {
        var play = Play(schedule: [.seconds(3600)])
        try play.set("a", maxInFlight: 100)
        play.add(5_000, to: "a")
        var ended = 0
        func go(for milliseconds: Int64, _ answer: AttemptAnswer) {
            for _ in 0..<milliseconds {
                play.run()
                ended += play.underWay.count
                play.end(answer)
                play.now += 1
            }
        }
        go(for: 2_000, Self.error)
        #expect((150...300).contains(ended))
        ended = 0
        go(for: 100, Self.ok)
        #expect(ended > 3_000)
    }

    @Test("reads ahead no more than the budget in bytes")
    func budget() throws {
        var play = Play(queuedBytes: 10_000)
        play.bodies = 1000
        for index in 0..<50 {
            play.add(100, to: "e\(index)")
            try play.set("e\(index)", maxInFlight: 4)
        }
        play.run()
        #expect(play.scheduler.queuedBytes <= 10_000 + 5000)
        for index in 0..<50 { #expect(play.count("e\(index)") >= 1) }
        while !play.underWay.isEmpty { play.end(Self.ok) }
        #expect(play.rows.values.count { !$0.isEmpty } == 0)
        #expect(play.scheduler.queuedBytes == 0)
    }

    @Test("when the store fails, nothing is lost: it is asked again after a pause that grows")
    func storeFailure() throws {
        var play = Play()
        play.add(1, to: "a")
        try play.set("a")
        var pauses: [Int64] = []
        for _ in 0..<8 {
            let job = play.scheduler.nextJob(now: play.now)
            guard case .fetch = job else {
                Issue.record("no fetch")
                return
            }
            play.scheduler.storeFailed(job, now: play.now)
            guard case .wait(let time?) = play.scheduler.nextJob(now: play.now) else {
                Issue.record("no pause")
                return
            }
            pauses.append(time - play.now)
            play.now = time
        }
        #expect(pauses == [100, 200, 400, 800, 1600, 3200, 5000, 5000])
        play.run()
        #expect(play.ids == [1])
        play.scheduler.finish(
            play.underWay.map { TransportResult(request: $0, ending: .answered(Self.ok)) },
            now: play.now
        ) { 0 }
        let job = play.scheduler.nextJob(now: play.now)
        play.scheduler.storeFailed(job, now: play.now)
        play.now += 100
        play.run()
        #expect(play.recorded.map(\.result) == [.delivered])
    }

    @Test("stopping begins nothing, waits for what is under way, and aborts it when the time is up")
    func stopping() throws {
        var play = Play()
        play.add(10, to: "a")
        try play.set("a", maxInFlight: 3)
        play.run()
        play.scheduler.stop(deadline: play.now + 10_000)
        play.end(Self.ok) { $0.delivery.id == 1 }
        #expect(play.ids == [2, 3])
        #expect(play.recorded.map(\.delivery) == [1])
        #expect(play.waitsUntil == play.now + 10_000)
        #expect(!play.isFinished)
        play.now += 10_000
        play.run()
        #expect(play.isFinished)
        #expect(play.recorded.count == 1)
        #expect(play.rows["a"]?.count == 9)
    }
}
