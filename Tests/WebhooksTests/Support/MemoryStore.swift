import Dispatch
import Locking
import Notation
import Posix

@testable import Webhooks

/// A delivery store in memory: the protocol's rules, nothing more.
final class MemoryStore: DeliveryStore {
    /// The machine's time, from an origin of no meaning.
    static let machineTime: @Sendable () -> Int64 = {
        let start = ContinuousClock.now
        return { 1_000_000 + (ContinuousClock.now - start).milliseconds }
    }()

    private let clock: @Sendable () -> Int64
    private let day: @Sendable () -> Int64
    var now: Int64 { clock() }
    var timeOfDay: Int64 { day() }

    init(
        clock: @escaping @Sendable () -> Int64 = machineTime,
        timeOfDay: @escaping @Sendable () -> Int64 = { Int64(SystemClock.timeOfDay.milliseconds) }
    ) {
        (self.clock, day) = (clock, timeOfDay)
    }

    /// The endpoints whose deliveries somebody else makes.
    var others: Set<String> {
        get { state.withLock { $0.others } }
        set { state.withLock { $0.others = newValue } }
    }

    /// How often whose deliveries are made here is asked before all are somebody else's.
    var questionsBeforeLoss: Int {
        get { state.withLock { $0.questionsBeforeLoss } }
        set { state.withLock { $0.questionsBeforeLoss = newValue } }
    }

    func isOnDuty(for endpoint: String) -> Bool {
        state.withLock { state in
            state.questionsBeforeLoss -= 1
            return state.questionsBeforeLoss >= 0 && !state.others.contains(endpoint)
        }
    }

    struct Row: Sendable {
        enum State: Sendable, Equatable { case pending, delivered, dead }
        let endpoint: String
        var delivery: DueDelivery
        var state = State.pending
        var outcomes: [AttemptOutcome] = []
    }

    struct Unavailable: Error {}

    private struct State {
        var rows: [Int64: Row] = [:]
        var lastID: Int64 = 0
        var failuresLeft = 0
        var batches: [Int] = []
        var calls = 0
        var others: Set<String> = []
        var questionsBeforeLoss = Int.max
    }

    private let state = Lock(State())
    /// As in the log, what commits and tells of it is what records: nothing is recorded while it is held.
    private let writer = Lock(())

    /// Adds deliveries and tells of them, before anything is recorded.
    func commit(_ body: () -> Void) {
        writer.withLock { _ in body() }
    }

    @discardableResult
    func add(
        to endpoint: String,
        body: [UInt8] = Array("hello".utf8),
        type: String? = nil,
        contentType: String? = "text/plain",
        topic: String = "greetings",
        traceparent: String? = nil,
        attempts: Int = 0,
        notBefore: Int64 = 0
    ) -> Int64 {
        state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            state.rows[id] = Row(
                endpoint: endpoint,
                delivery: DueDelivery(
                    id: id,
                    eventID: "event-\(id)",
                    topic: topic,
                    type: type,
                    contentType: contentType,
                    body: body,
                    attempts: attempts,
                    traceparent: traceparent,
                    notBefore: notBefore
                )
            )
            return id
        }
    }

    /// Renews a delivery: pending and due at once, whatever became of it.
    func renew(_ id: Int64) {
        state.withLock { state in
            state.rows[id]?.state = .pending
            state.rows[id]?.delivery.renewals += 1
            state.rows[id]?.delivery.attempts = 0
            state.rows[id]?.delivery.notBefore = 0
        }
    }

    /// Makes the next calls fail.
    func fail(_ count: Int) {
        state.withLock { $0.failuresLeft = count }
    }

    var rows: [Row] { state.withLock { state in state.rows.values.sorted { $0.delivery.id < $1.delivery.id } } }
    var calls: Int { state.withLock { $0.calls } }
    var batches: [Int] { state.withLock { $0.batches } }
    func row(_ id: Int64) -> Row? { state.withLock { $0.rows[id] } }
    func outcomes(of id: Int64) -> [AttemptOutcome] { row(id)?.outcomes ?? [] }
    func count(_ wanted: Row.State) -> Int {
        state.withLock { state in state.rows.values.count { $0.state == wanted } }
    }

    private func access<Result: Sendable>(_ body: (inout State) -> Result) throws -> Result {
        try state.withLock { state throws in
            state.calls += 1
            guard state.failuresLeft == 0 else {
                state.failuresLeft -= 1
                throw Unavailable()
            }
            return body(&state)
        }
    }

    func dueDeliveries(of endpoint: Endpoint, at now: Int64, limit: Int, byteLimit: Int) async throws -> DueDeliveries {
        try access { state in
            let pending = state.rows.values.filter { $0.state == .pending && $0.endpoint == endpoint.id }
            return .of(pending.map(\.delivery), to: endpoint, at: now, limit: limit, byteLimit: byteLimit)
        }
    }

    func record(
        _ outcomes: [AttemptOutcome],
        completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        // On another thread, as the log's: who commits may be told of it by the thread that records.
        DispatchQueue.global().async { [self] in
            completion(Result { try writer.withLock { _ throws in try write(outcomes) } })
        }
    }

    private func write(_ outcomes: [AttemptOutcome]) throws {
        try access { state in
            state.batches.append(outcomes.count)
            for outcome in outcomes {
                guard var row = state.rows[outcome.delivery], row.endpoint == outcome.endpoint else {
                    continue
                }
                row.outcomes.append(outcome)
                if row.delivery.renewals == outcome.renewals {
                    row.delivery.attempts = outcome.attempts
                    switch outcome.result {
                    case .delivered: row.state = .delivered
                    case .retry(let notBefore): row.delivery.notBefore = notBefore
                    case .dead, .gone: row.state = .dead
                    }
                }
                state.rows[outcome.delivery] = row
            }
        }
    }
}

extension DueDeliveries {
    /// What a store answers that has those pending, by the protocol's rules.
    static func of(
        _ pending: [DueDelivery],
        to endpoint: Endpoint,
        at now: Int64,
        limit: Int,
        byteLimit: Int
    ) -> DueDeliveries {
        let due = pending.filter { endpoint.ordered || $0.notBefore <= now }.sorted { $0.id < $1.id }
        let later = pending.lazy.filter { !endpoint.ordered && $0.notBefore > now }
        var bytes = 0
        let taken = due.prefix(limit).prefix { delivery in
            defer { bytes += delivery.storedBytes }
            return bytes < byteLimit
        }
        return DueDeliveries(Array(taken), next: bytes >= byteLimit ? now : later.map(\.notBefore).min())
    }
}
