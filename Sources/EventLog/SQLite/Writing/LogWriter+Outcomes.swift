internal import GRDB

extension LogWriter {
    /// Records outcomes; those of deliveries that are not pending are passed over.
    func record(_ outcomes: [DeliveryOutcome]) throws {
        guard let statements else { throw EventLogError.isClosed }
        var tallies: [Int64: Tally] = [:]
        for outcome in outcomes {
            statements.findDelivery.bind(outcome.delivery, at: 1)
            guard let observer = try statements.findDelivery.first({ $0.integer(0) }) else { continue }
            try settle(outcome, statements)
            tallies[observer, default: Tally()].add(outcome)
        }
        for (observer, tally) in tallies {
            let row = statements.countOutcomes
            row.bind(observer, at: 1)
            row.bind(tally.delivered, at: 2)
            row.bind(tally.failed, at: 3)
            row.bind(tally.dead, at: 4)
            row.bind(tally.lastStatus, at: 5)
            row.bind(tally.lastAttemptAt, at: 6)
            try row.run()
        }
    }

    /// Makes some pending deliveries of an observer dead letters.
    /// - Parameter last: the newest delivery to take; later ones were not meant.
    /// - Returns: how many there were; fewer than ``rowsAtOnce`` if none is left.
    func abandon(upTo last: Int64, of observer: String, failure: String, at now: Timestamp, _ db: Database) throws
        -> Int
    {
        guard let key = observers[observer]?.key else { return 0 }
        try db.execute(
            sql: """
                UPDATE delivery SET state = \(Schema.dead), failure = ?, attempted_at = ?
                WHERE id IN (
                    SELECT id FROM delivery WHERE observer = ? AND state = \(Schema.pending) AND id <= ? LIMIT ?
                )
                """,
            arguments: [failure, now.milliseconds, key, last, LogWriter.rowsAtOnce]
        )
        let count = db.changesCount
        try db.execute(
            sql: "UPDATE delivery_stats SET pending = pending - ?1, dead = dead + ?1 WHERE observer = ?2",
            arguments: [count, key]
        )
        return count
    }

    private func settle(_ outcome: DeliveryOutcome, _ statements: WriterStatements) throws {
        let row = statements.settleDelivery
        row.bind(outcome.delivery, at: 1)
        row.bind(outcome.state.number, at: 2)
        row.bind(Int64(outcome.attempts), at: 3)
        row.bind(outcome.state.notBefore?.milliseconds, at: 4)
        row.bind(outcome.status.map(Int64.init), at: 5)
        row.bind(outcome.failure, at: 6)
        row.bind(outcome.at.milliseconds, at: 7)
        try row.run()
    }
}

/// What a batch of outcomes adds to the counters of one observer.
private struct Tally {
    var delivered: Int64 = 0
    var failed: Int64 = 0
    var dead: Int64 = 0
    var lastStatus: Int64?
    var lastAttemptAt = Int64.min

    mutating func add(_ outcome: DeliveryOutcome) {
        switch outcome.state {
        case .delivered: delivered += 1
        case .pending: failed += 1
        case .dead:
            failed += 1
            dead += 1
        }
        guard outcome.at.milliseconds >= lastAttemptAt else { return }
        lastAttemptAt = outcome.at.milliseconds
        lastStatus = outcome.status.map(Int64.init)
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
