internal import GRDB

/// The deliveries, their attempts, and the counters of their observers.
///
/// It knows nothing of them by heart: a delivery that has a row is looked up.
final class DeliveryWriter {
    let db: Database
    let observers: ObserverWriter
    let time: TimeWriter
    let find: PreparedStatement
    /// What an event is, unless it is gone.
    let event: PreparedStatement
    private let insert: PreparedStatement
    private let update: PreparedStatement
    private let keep: PreparedStatement
    private let count: PreparedStatement

    init(_ db: Database, _ observers: ObserverWriter, _ time: TimeWriter) throws {
        (self.db, self.observers, self.time) = (db, observers, time)
        find = try db.compiled(
            """
            SELECT id, state, renewals, attempts, logged FROM delivery INDEXED BY delivery_event
            WHERE event = ?2 AND observer = ?1
            """
        )
        event = try db.compiled(
            "SELECT name, type FROM event CROSS JOIN topic ON topic.id = event.topic WHERE seq = ?1 AND seq > removed"
        )
        // One row of values: of what may add several, or answers what it added, SQLite copies each page to a journal first.
        insert = try db.compiled(
            """
            INSERT INTO delivery
                (observer, event, state, attempts, not_before, status, failure, attempted_at, settled_at, logged)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, CASE ?3 WHEN \(LogSchema.pending) THEN NULL ELSE ?8 END, 1)
            """
        )
        // Without a state the attempt is noted, and settles nothing.
        update = try db.compiled(
            """
            UPDATE delivery SET state = ifnull(?2, state), attempts = ?3, not_before = ifnull(?4, not_before),
                status = ?5, failure = iif(?2 IS NULL AND state = \(LogSchema.dead), failure, ?6), attempted_at = ?7,
                settled_at = CASE ifnull(?2, -1) WHEN -1 THEN settled_at WHEN \(LogSchema.pending) THEN NULL ELSE ?7 END,
                logged = logged + 1 WHERE id = ?1
            """
        )
        keep = try db.compiled(
            """
            INSERT OR REPLACE INTO attempt
                (id, number, ended_at, duration, connected, secured, answered, status, failure, message, response)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """
        )
        count = try db.compiled(
            """
            UPDATE delivery_stats SET delivered = delivered + ?2, failed = failed + ?3, dead = dead + ?4,
                pending = pending + ?5, last_status = ?8, last_failure = ?9, last_attempt_at = ?10,
                failing_since = CASE WHEN ?2 > 0 THEN ?6 ELSE ifnull(failing_since, ?6) END,
                failing_for = CASE WHEN ?2 > 0 THEN ?7 ELSE failing_for + ?7 END
            WHERE observer = ?1
            RETURNING failing_for
            """
        )
    }

    /// Records outcomes: see ``DeliveryLog/recordOutcomes(_:completion:)``.
    /// - Returns: of the observers concerned, those that failed last: how long they have been failing.
    func record(_ outcomes: [DeliveryOutcome]) throws -> [ObserverID: Duration] {
        var tallies: [ObserverID: OutcomeTally] = [:]
        for outcome in outcomes {
            guard let observer = observers[outcome.observer] else { continue }
            if outcome.isOfGone {
                try giveUp(outcome, of: observer.key)
                continue
            }
            let before = try find(outcome, of: observer.key)
            if try write(outcome, of: observer.subscription, over: before) {
                tallies[observer.id, default: OutcomeTally()].add(outcome, before: before)
            }
        }
        var failing: [ObserverID: Duration] = [:]
        for (id, tally) in tallies {
            guard let observer = observers[id] else { continue }
            let duration = try add(tally, to: observer.key)
            if tally.failingSince != nil { failing[id] = duration }
            // Most come in order: then it comes to what is still under way.
            try observers.moveCursor(of: observer, scanning: 4 * tally.count + 64)
        }
        return failing
    }

    /// Writes what came of an attempt, and how it went.
    /// - Parameter before: the row; nil if there is none.
    /// - Returns: whether the delivery did not know of the attempt already, and is not gone, with its event or for its age.
    private func write(
        _ outcome: DeliveryOutcome,
        of subscription: Subscription,
        over before: AttemptedDelivery?
    ) throws -> Bool {
        if let before, !before.counts(outcome) { return false }
        guard let id = try before.map({ try change($0, outcome) }) ?? insert(outcome, of: subscription) else {
            return false
        }
        try keep(outcome.attempt, of: id, after: before?.logged ?? 0)
        return true
    }

    /// Has a delivery wait no longer whose event is gone elsewhere, so that it can go here, too.
    private func giveUp(_ outcome: DeliveryOutcome, of observer: Int64) throws {
        try db.cached(
            """
            UPDATE delivery SET state = \(LogSchema.dead), status = NULL, failure = ?4, settled_at = ?3
            WHERE event = ?2 AND observer = ?1 AND state = \(LogSchema.pending)
            """
        ).bind(observer, outcome.event, outcome.attempt.at, DeliveryOutcome.eventGone).run()
        try observers.count(observer, pending: -db.changesCount, dead: db.changesCount)
    }

    private func find(_ outcome: DeliveryOutcome, of observer: Int64) throws -> AttemptedDelivery? {
        try find.bind(observer, outcome.event).first { row in
            AttemptedDelivery(
                id: row[0],
                state: row[1],
                isRenewed: row[2] != outcome.renewals,
                attempts: min(row[3], DeliveryAttempt.mostBefore),
                logged: row[4]
            )
        }
    }

    private func insert(_ outcome: DeliveryOutcome, of subscription: Subscription) throws -> Int64? {
        guard outcome.event.rawValue > subscription.cursor else { return nil }
        guard try event.bind(outcome.event).first({ _ in true }) != nil else { return nil }
        let attempt = outcome.attempt
        insert.bind(subscription.key, outcome.event, outcome.state.number, attempt.number)
        insert.bind(outcome.state.notBefore ?? time.begunAt, attempt.status, attempt.failure, attempt.at, from: 5)
        try insert.run()
        return db.lastInsertedRowID
    }

    private func change(_ delivery: AttemptedDelivery, _ outcome: DeliveryOutcome) throws -> Int64 {
        let (attempt, state) = (outcome.attempt, delivery.settles(outcome) ? outcome.state : nil)
        let number = delivery.isRenewed ? delivery.attempts : Int64(attempt.number)
        update.bind(delivery.id, state?.number, number, state?.notBefore)
        try update.bind(attempt.status, attempt.failure, attempt.at, from: 5).run()
        return delivery.id
    }

    /// Keeps how an attempt went, in the place of the oldest if there are many.
    private func keep(_ attempt: DeliveryAttempt, of delivery: Int64, after logged: Int64) throws {
        let ring = LogSchema.attemptsPerDelivery
        keep.bind(delivery * ring + logged % ring, attempt.number, attempt.at, attempt.duration)
        keep.bind(attempt.connected, attempt.secured, attempt.answered, from: 5)
        keep.bind(attempt.status, attempt.failure, attempt.message, from: 8)
        try keep.bind(attempt.response.isEmpty ? nil : attempt.response, from: 11).run()
    }

    /// Adds to the counters of an observer.
    /// - Returns: how long it has been failing.
    private func add(_ tally: OutcomeTally, to observer: Int64) throws -> Duration {
        count.bind(observer, tally.delivered, tally.failed, tally.dead, tally.pending, tally.failingSince)
        count.bind(tally.failingFor, tally.lastStatus, tally.lastFailure, tally.lastAttemptAt, from: 7)
        // To the end: an UPDATE is done when it says so.
        return .milliseconds(try count.map { $0.integer(0) }.last ?? 0)
    }
}
