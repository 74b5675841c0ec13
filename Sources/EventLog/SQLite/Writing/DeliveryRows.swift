internal import GRDB

/// The rows of deliveries and of their attempts, and the counters of their observers, as far as outcomes change them.
/// Confined to the writer's thread.
struct DeliveryRows {
    private let find: PreparedStatement
    private let insert: PreparedStatement
    private let settle: PreparedStatement
    private let note: PreparedStatement
    private let keep: PreparedStatement
    private let count: PreparedStatement

    init(_ db: Database) throws {
        find = try PreparedStatement(
            db,
            """
            SELECT id, state, renewals, attempts, logged FROM delivery INDEXED BY delivery_event
            WHERE event = ?2 AND observer = ?1
            """
        )
        insert = try PreparedStatement(
            db,
            """
            INSERT INTO delivery
                (observer, event, state, attempts, not_before, status, failure, attempted_at, settled_at, logged)
            SELECT ?1, seq, ?2, ?3, ?4, ?5, ?6, ?7, CASE ?2 WHEN \(Schema.pending) THEN NULL ELSE ?7 END, 1
            FROM event CROSS JOIN topic ON topic.id = event.topic WHERE seq = ?8 AND seq > removed RETURNING id
            """
        )
        settle = try PreparedStatement(
            db,
            """
            UPDATE delivery SET state = ?2, attempts = ?3, not_before = ifnull(?4, not_before), status = ?5,
                failure = ?6, attempted_at = ?7, settled_at = CASE ?2 WHEN \(Schema.pending) THEN NULL ELSE ?7 END,
                logged = logged + 1 WHERE id = ?1
            """
        )
        note = try PreparedStatement(
            db,
            """
            UPDATE delivery SET attempts = ?2, status = ?3, attempted_at = ?4,
                failure = CASE state WHEN \(Schema.dead) THEN failure ELSE ?5 END, logged = logged + 1
            WHERE id = ?1
            """
        )
        keep = try PreparedStatement(
            db,
            """
            INSERT OR REPLACE INTO attempt
                (id, number, ended_at, duration, connected, secured, answered, status, failure, message, response)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """
        )
        count = try PreparedStatement(
            db,
            """
            UPDATE delivery_stats SET delivered = delivered + ?2, failed = failed + ?3, dead = dead + ?4,
                pending = pending + ?9, last_status = ?5, last_failure = ?6, last_attempt_at = ?7,
                failing_since = CASE WHEN ?2 > 0 THEN ?8 ELSE ifnull(failing_since, ?8) END,
                failing_for = CASE WHEN ?2 > 0 THEN ?10 ELSE failing_for + ?10 END
            WHERE observer = ?1
            RETURNING failing_for
            """
        )
    }

    /// Writes what came of an attempt, and how it went.
    /// - Parameters:
    ///   - subscription: of the observer.
    ///   - begunAt: the log's time.
    /// - Returns: the row as it was, which is nil if there was none; nil if the delivery knows of the attempt already, or is
    ///   gone, with its event or for its age.
    func write(_ outcome: DeliveryOutcome, of subscription: Subscription, at begunAt: Timestamp) throws -> Written? {
        let before = try find(outcome, of: subscription.key)
        if let before, !before.counts(outcome) { return nil }
        guard let id = try before.map({ try change($0, outcome) }) ?? insert(outcome, of: subscription, at: begunAt)
        else {
            return nil
        }
        try keep(outcome.attempt, of: id, after: before?.logged ?? 0)
        return Written(before: before)
    }

    /// What was written.
    struct Written {
        let before: AttemptedDelivery?
    }

    private func find(_ outcome: DeliveryOutcome, of observer: Int64) throws -> AttemptedDelivery? {
        find.bind(observer, at: 1)
        find.bind(outcome.event.rawValue, at: 2)
        return try find.first { row in
            AttemptedDelivery(
                id: row.integer(0),
                state: row.integer(1),
                isRenewed: row.integer(2) != outcome.renewals,
                attempts: row.integer(3),
                logged: row.integer(4)
            )
        }
    }

    private func insert(
        _ outcome: DeliveryOutcome,
        of subscription: Subscription,
        at begunAt: Timestamp
    ) throws -> Int64? {
        guard outcome.event.rawValue > subscription.cursor else { return nil }
        bind(outcome, to: insert, notBefore: outcome.state.notBefore ?? begunAt)
        insert.bind(subscription.key, at: 1)
        insert.bind(outcome.event.rawValue, at: 8)
        var id: Int64?
        // To the end: an INSERT is done when it says so.
        try insert.forEach { id = $0.integer(0) }
        return id
    }

    private func change(_ delivery: AttemptedDelivery, _ outcome: DeliveryOutcome) throws -> Int64 {
        if delivery.settles(outcome) {
            bind(outcome, to: settle, notBefore: outcome.state.notBefore)
            settle.bind(delivery.id, at: 1)
            try settle.run()
        } else {
            note.bind(delivery.id, at: 1)
            note.bind(delivery.isRenewed ? delivery.attempts : Int64(outcome.attempt.number), at: 2)
            note.bind(outcome.attempt.status.map(Int64.init), at: 3)
            note.bind(outcome.attempt.at.milliseconds, at: 4)
            note.bind(outcome.attempt.failure, at: 5)
            try note.run()
        }
        return delivery.id
    }

    private func bind(_ outcome: DeliveryOutcome, to row: PreparedStatement, notBefore: Timestamp?) {
        row.bind(outcome.state.number, at: 2)
        row.bind(Int64(outcome.attempt.number), at: 3)
        row.bind(notBefore?.milliseconds, at: 4)
        row.bind(outcome.attempt.status.map(Int64.init), at: 5)
        row.bind(outcome.attempt.failure, at: 6)
        row.bind(outcome.attempt.at.milliseconds, at: 7)
    }

    /// Keeps how an attempt went, in the place of the oldest if there are many.
    private func keep(_ attempt: DeliveryAttempt, of delivery: Int64, after logged: Int64) throws {
        let ring = Schema.attemptsPerDelivery
        keep.bind(delivery * ring + logged % ring, at: 1)
        keep.bind(Int64(attempt.number), at: 2)
        keep.bind(attempt.at.milliseconds, at: 3)
        keep.bind(attempt.duration, at: 4)
        keep.bind(attempt.connected, at: 5)
        keep.bind(attempt.secured, at: 6)
        keep.bind(attempt.answered, at: 7)
        keep.bind(attempt.status.map(Int64.init), at: 8)
        keep.bind(attempt.failure, at: 9)
        keep.bind(attempt.message, at: 10)
        keep.bind(attempt.response.isEmpty ? nil : attempt.response, at: 11)
        try keep.run()
    }

    /// Adds to the counters of an observer.
    /// - Returns: how long it has been failing.
    func add(_ tally: OutcomeTally, to observer: Int64) throws -> Duration {
        count.bind(observer, at: 1)
        count.bind(tally.delivered, at: 2)
        count.bind(tally.failed, at: 3)
        count.bind(tally.dead, at: 4)
        count.bind(tally.lastStatus, at: 5)
        count.bind(tally.lastFailure, at: 6)
        count.bind(tally.lastAttemptAt, at: 7)
        count.bind(tally.failingSince, at: 8)
        count.bind(tally.pending, at: 9)
        count.bind(tally.failingFor, at: 10)
        var failingFor: Int64 = 0
        // To the end: an UPDATE is done when it says so.
        try count.forEach { failingFor = $0.integer(0) }
        return .milliseconds(failingFor)
    }
}
