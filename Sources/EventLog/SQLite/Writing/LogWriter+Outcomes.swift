internal import GRDB

extension LogWriter {
    /// Records outcomes: see ``DeliveryLog/recordOutcomes(_:)``.
    /// - Returns: of the observers concerned, those that failed last: how long they have been failing.
    func record(_ outcomes: [DeliveryOutcome]) throws -> [String: Duration] {
        guard let statements else { throw EventLogError.isClosed }
        var tallies: [Int64: Tally] = [:]
        for outcome in outcomes {
            guard let found = try find(outcome, statements) else { continue }
            if let deferred = found.deferred {
                try insert(outcome, of: deferred, statements)
            } else if found.settles(outcome) {
                try settle(outcome, statements)
            } else {
                try note(outcome, of: found, statements)
            }
            try keep(outcome, after: found.logged, statements)
            tallies[found.observer, default: Tally()].add(outcome, of: found)
        }
        var failing: [String: Duration] = [:]
        for (observer, tally) in tallies {
            let row = statements.countOutcomes
            row.bind(observer, at: 1)
            row.bind(tally.delivered, at: 2)
            row.bind(tally.failed, at: 3)
            row.bind(tally.dead, at: 4)
            row.bind(tally.lastStatus, at: 5)
            row.bind(tally.lastFailure, at: 6)
            row.bind(tally.lastAttemptAt, at: 7)
            row.bind(tally.failingSince, at: 8)
            row.bind(tally.pending, at: 9)
            row.bind(tally.failingFor, at: 10)
            // To the end: an UPDATE is done when it says so. One that is being removed has no name any more.
            try row.forEach { row in
                guard tally.failingSince != nil, !row.isNull(1) else { return }
                failing[row.text(1)] = .milliseconds(row.integer(0))
            }
        }
        return failing
    }

    /// Makes some pending deliveries of an observer dead letters, unless it receives any.
    /// - Parameter last: the newest delivery to take; later ones were not meant.
    /// - Returns: how many there were; fewer than ``rowsAtOnce`` if none is left.
    func abandon(upTo last: Int64, of observer: String, failure: String, at now: Timestamp, _ db: Database) throws
        -> Int
    {
        guard let observer = memory.observers[observer], !observer.receives else { return 0 }
        try db.execute(
            sql: """
                UPDATE delivery SET state = \(Schema.dead), failure = ?1, settled_at = ?2
                WHERE id IN (
                    SELECT id FROM delivery INDEXED BY delivery_state
                    WHERE observer = ?3 AND state <= \(Schema.pending) AND id <= ?4 LIMIT ?5
                )
                """,
            arguments: [failure, now.milliseconds, observer.key, last, LogWriter.rowsAtOnce]
        )
        let count = db.changesCount
        try db.execute(
            sql: "UPDATE delivery_stats SET pending = pending - ?1, dead = dead + ?1 WHERE observer = ?2",
            arguments: [count, observer.key]
        )
        return count
    }

    /// The delivery of an outcome, unless it is gone or knows of the attempt already.
    private func find(_ outcome: DeliveryOutcome, _ statements: WriterStatements) throws -> AttemptedDelivery? {
        if let deferred = memory.deferred.take(outcome.delivery) { return AttemptedDelivery(deferred) }
        let row = statements.findDelivery
        row.bind(outcome.delivery, at: 1)
        let found = try row.first { row in
            AttemptedDelivery(
                observer: row.integer(0),
                state: row.integer(1),
                isRenewed: row.integer(2) != outcome.renewals,
                attempts: row.integer(3),
                logged: row.integer(4)
            )
        }
        guard let found, found.counts(outcome) else { return nil }
        return found
    }

    /// Notes an attempt that does not decide what becomes of the delivery.
    private func note(
        _ outcome: DeliveryOutcome,
        of found: AttemptedDelivery,
        _ statements: WriterStatements
    ) throws {
        let row = statements.noteAttempt
        row.bind(outcome.delivery, at: 1)
        row.bind(found.isRenewed ? found.attempts : Int64(outcome.attempt.number), at: 2)
        row.bind(outcome.attempt.status.map(Int64.init), at: 3)
        row.bind(outcome.attempt.at.milliseconds, at: 4)
        row.bind(outcome.attempt.failure, at: 5)
        try row.run()
    }

    private func settle(_ outcome: DeliveryOutcome, _ statements: WriterStatements) throws {
        let row = statements.settleDelivery
        bind(outcome, notBefore: outcome.state.notBefore?.milliseconds, to: row)
        try row.run()
    }

    /// Writes a row that there was none of, with what came of its delivery.
    private func insert(
        _ outcome: DeliveryOutcome,
        of delivery: DeferredDeliveries.Entry,
        _ statements: WriterStatements
    ) throws {
        let row = statements.insertAttempted
        bind(outcome, notBefore: outcome.state.notBefore?.milliseconds ?? delivery.notBefore, to: row)
        row.bind(delivery.observer, at: 8)
        row.bind(delivery.event, at: 9)
        try row.run()
    }

    private func bind(_ outcome: DeliveryOutcome, notBefore: Int64?, to row: PreparedStatement) {
        row.bind(outcome.delivery, at: 1)
        row.bind(outcome.state.number, at: 2)
        row.bind(Int64(outcome.attempt.number), at: 3)
        row.bind(notBefore, at: 4)
        row.bind(outcome.attempt.status.map(Int64.init), at: 5)
        row.bind(outcome.attempt.failure, at: 6)
        row.bind(outcome.attempt.at.milliseconds, at: 7)
    }
}

extension LogWriter {
    /// Keeps how an attempt went, in the place of the oldest if there are many.
    private func keep(_ outcome: DeliveryOutcome, after logged: Int64, _ statements: WriterStatements) throws {
        let row = statements.insertAttempt
        let ring = Schema.attemptsPerDelivery
        let attempt = outcome.attempt
        row.bind(outcome.delivery * ring + logged % ring, at: 1)
        row.bind(Int64(attempt.number), at: 2)
        row.bind(attempt.at.milliseconds, at: 3)
        row.bind(attempt.duration, at: 4)
        row.bind(attempt.connected, at: 5)
        row.bind(attempt.secured, at: 6)
        row.bind(attempt.answered, at: 7)
        row.bind(attempt.status.map(Int64.init), at: 8)
        row.bind(attempt.failure, at: 9)
        row.bind(attempt.message, at: 10)
        row.bind(attempt.response.isEmpty ? nil : attempt.response, at: 11)
        try row.run()
    }
}

/// What a batch of outcomes adds to the counters of one observer.
private struct Tally {
    var delivered: Int64 = 0
    var failed: Int64 = 0
    var dead: Int64 = 0
    var pending: Int64 = 0
    var lastStatus: Int64?
    var lastFailure: String?
    var lastAttemptAt = Int64.min
    /// When the first failed after the last of them that did not.
    var failingSince: Int64?
    /// For how long they have failed since, in milliseconds.
    var failingFor: Int64 = 0

    private static let longest: Int64 = 100 * 366 * 86_400_000

    mutating func add(_ outcome: DeliveryOutcome, of found: AttemptedDelivery) {
        if outcome.state == .delivered {
            delivered += 1
            failingSince = nil
            failingFor = 0
        } else {
            failed += 1
            if failingSince == nil { failingSince = outcome.attempt.at.milliseconds }
            // A century: no sum of what lasts comes near it.
            failingFor = min(failingFor + min(max(outcome.failing, 0), Self.longest), Self.longest)
        }
        if found.settles(outcome) {
            // One without a row is not counted yet.
            if found.deferred == nil { count(found.state, -1) }
            count(outcome.state.number, 1)
        }
        guard outcome.attempt.at.milliseconds >= lastAttemptAt else { return }
        lastAttemptAt = outcome.attempt.at.milliseconds
        lastStatus = outcome.attempt.status.map(Int64.init)
        lastFailure = outcome.attempt.failure
    }

    private mutating func count(_ state: Int64, _ change: Int64) {
        if Schema.isPending(state) { pending += change }
        if state == Schema.dead { dead += change }
    }
}

extension DeliveryOutcome.State {
    fileprivate var number: Int64 {
        switch self {
        case .delivered: Schema.delivered
        case .pending: Schema.pending
        case .dead: Schema.dead
        }
    }

    fileprivate var notBefore: Timestamp? {
        if case .pending(let notBefore) = self { notBefore } else { nil }
    }
}
