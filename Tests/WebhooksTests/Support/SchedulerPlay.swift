import Testing

@testable import Webhooks

extension DeliverySchedulerTests {
    /// Plays the store and the transport.
    struct Play {
        var scheduler: DeliveryScheduler
        var now: Int64 = 1_700_000_000_000
        /// Pending rows: due time by id, per endpoint.
        var rows: [String: [Int64: Int64]] = [:]
        private var lastID: Int64 = 0
        var attempts: [Int64: Int] = [:]
        var renewals: [Int64: Int64] = [:]
        /// Their topics, where these are not "t".
        var topics: [Int64: String] = [:]
        var bodies = 10
        var underWay: [TransportRequest] = []
        var recorded: [AttemptOutcome] = []
        var reads = 0
        var waitsUntil: Int64?
        var isFinished = false

        init(
            inFlight: Int = 1024,
            queuedBytes: Int = 64 << 20,
            recordDelay: Int64 = 0,
            schedule: [Duration] = [.seconds(5), .seconds(60)]
        ) {
            var limits = DeliveryScheduler.Limits()
            limits.inFlight = inFlight
            limits.recordDelay = recordDelay
            limits.queuedBytes = queuedBytes
            scheduler = DeliveryScheduler(limits: limits, policy: RetryPolicy(schedule: schedule, jitter: 0))
        }

        mutating func set(
            _ id: String,
            maxInFlight: Int = 16,
            isEnabled: Bool = true,
            ordered: Bool = false,
            ratePerSecond: Double? = nil,
            format: Endpoint.Format = .raw,
            url: String = "http://example.com/",
            generation: Int = 0,
            owner: String? = nil
        ) throws {
            let endpoint = Endpoint(
                id: id,
                url: try WebhookURL(url, httpsOnly: false),
                secrets: SigningSecrets(.generate()),
                maxInFlight: maxInFlight,
                isEnabled: isEnabled,
                ordered: ordered,
                ratePerSecond: ratePerSecond,
                format: format,
                generation: generation,
                owner: owner
            )
            scheduler.set(Destination(endpoint))
        }

        mutating func add(_ count: Int, to endpoint: String, of topic: String? = nil, notBefore: Int64 = 0) {
            for _ in 0..<count {
                lastID += 1
                topics[lastID] = topic
                rows[endpoint, default: [:]][lastID] = notBefore
            }
        }

        /// Commits deliveries and offers them, without running the pump. Returns their ids.
        @discardableResult
        mutating func offer(_ count: Int, to endpoint: String, in format: Endpoint.Format = .raw) -> [Int64] {
            let before = Set((rows[endpoint] ?? [:]).keys)
            add(count, to: endpoint)
            let ids = (rows[endpoint] ?? [:]).keys.filter { !before.contains($0) }.sorted()
            scheduler.offer(endpoint, in: format, ids.map { delivery($0, to: endpoint, in: format) })
            underWay += scheduler.takeAttempts(now: now)
            return ids
        }

        func delivery(_ id: Int64, to endpoint: String, in format: Endpoint.Format = .raw) -> DueDelivery {
            DueDelivery(
                id: id,
                eventID: "e\(id)",
                topic: topics[id] ?? "t",
                contentType: format.rawValue,
                body: [UInt8](repeating: 0, count: bodies),
                renewals: renewals[id] ?? 0,
                attempts: attempts[id] ?? 0,
                notBefore: rows[endpoint]?[id] ?? 0
            )
        }

        /// Takes steps until there are none.
        mutating func run() {
            for _ in 0..<100_000 {
                let steps = scheduler.advance(to: now)
                underWay += steps.begin
                if !steps.abort.isEmpty {
                    abort(steps.abort)
                } else if !steps.record.isEmpty {
                    record(steps.record)
                } else if let read = scheduler.takeRead(now: now) {
                    reads += 1
                    scheduler.finish(read, due(read), now: now)
                } else {
                    waitsUntil = steps.next == .max ? nil : steps.next
                    isFinished = scheduler.isFinished
                    return
                }
            }
            Issue.record("the scheduler never rests")
        }

        private mutating func record(_ outcomes: [AttemptOutcome]) {
            recorded += outcomes
            for outcome in outcomes where outcome.renewals == renewals[outcome.delivery] ?? 0 {
                attempts[outcome.delivery] = outcome.attempts
                if case .retry(let time) = outcome.result {
                    rows[outcome.endpoint]?[outcome.delivery]? = time
                } else {
                    rows[outcome.endpoint]?[outcome.delivery] = nil
                }
            }
            scheduler.recorded()
        }

        /// What the store answers to a read.
        func due(_ read: DeliveryScheduler.Read) -> DueDeliveries {
            let endpoint = read.endpoint
            let pending = (rows[endpoint.id] ?? [:]).keys.map { delivery($0, to: endpoint.id, in: endpoint.format) }
            return .of(pending, to: endpoint, at: read.at, limit: read.limit, byteLimit: read.byteLimit)
        }

        /// Has a delivery renewed, and the scheduler told.
        mutating func renew(_ id: Int64, of endpoint: String) {
            rows[endpoint, default: [:]][id] = now
            renewals[id, default: 0] += 1
            attempts[id] = 0
            scheduler.reread(endpoint)
        }

        /// Deletes a topic, and tells the scheduler.
        mutating func delete(_ topic: String) {
            for endpoint in rows.keys { rows[endpoint] = rows[endpoint]?.filter { (topics[$0.key] ?? "t") != topic } }
            scheduler.forget(topic)
        }

        /// Ends the attempts that satisfy a condition with an answer.
        mutating func end(_ answer: AttemptAnswer, where isMeant: (TransportRequest) -> Bool = { _ in true }) {
            end(.answered(answer), where: isMeant)
        }

        /// Ends the attempts that satisfy a condition.
        mutating func end(
            _ ending: TransportResult.Ending,
            leavesLookup: Bool = false,
            where isMeant: (TransportRequest) -> Bool = { _ in true }
        ) {
            let ended = underWay.filter(isMeant)
            underWay.removeAll(where: isMeant)
            let results = ended.map { TransportResult(request: $0, ending: ending, leavesLookup: leavesLookup) }
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

        func count(_ endpoint: String) -> Int { underWay.count { $0.destination.endpoint.id == endpoint } }
        var ids: [Int64] { underWay.map(\.delivery.id) }
    }
}
