internal import GRDB

extension LogWriter {
    /// Records outcomes: see ``DeliveryLog/recordOutcomes(_:)``.
    /// - Returns: of the observers concerned, those that failed last: how long they have been failing.
    func record(_ outcomes: [DeliveryOutcome], _ db: Database) throws -> [String: Duration] {
        guard let statements else { throw EventLogError.isClosed }
        var tallies: [String: OutcomeTally] = [:]
        for outcome in outcomes {
            guard let observer = memory.observers[outcome.observer] else { continue }
            let found = try find(outcome, of: observer, statements)
            if let found, !found.counts(outcome) { continue }
            guard let row = try write(outcome, of: observer, before: found, statements) else { continue }
            try keep(outcome, of: row, after: found?.logged ?? 0, statements)
            tallies[observer.id, default: OutcomeTally()].add(outcome, before: found)
        }
        schedule.committed(rows: outcomes.count)
        var failing: [String: Duration] = [:]
        for (id, tally) in tallies {
            guard let observer = memory.observers[id] else { continue }
            let duration = try count(tally, of: observer, statements)
            if tally.failingSince != nil { failing[id] = duration }
            // Most come in order: then it comes to what is still under way.
            try moveCursor(of: observer, scanning: 4 * tally.count + 64, db)
        }
        return failing
    }

    /// The row of the delivery that an outcome is of; nil if it has none.
    private func find(
        _ outcome: DeliveryOutcome,
        of observer: RegisteredObserver,
        _ statements: WriterStatements
    ) throws -> AttemptedDelivery? {
        let row = statements.findDelivery
        row.bind(observer.key, at: 1)
        row.bind(outcome.event.rawValue, at: 2)
        return try row.first { row in
            AttemptedDelivery(
                id: row.integer(0),
                state: row.integer(1),
                isRenewed: row.integer(2) != outcome.renewals,
                attempts: row.integer(3),
                logged: row.integer(4)
            )
        }
    }

    /// Writes what came of a delivery.
    /// - Returns: the id of its row; nil if the delivery is gone, with its event or for its age.
    private func write(
        _ outcome: DeliveryOutcome,
        of observer: RegisteredObserver,
        before found: AttemptedDelivery?,
        _ statements: WriterStatements
    ) throws -> Int64? {
        guard let found else {
            guard outcome.event.rawValue > memory.observers.subscription(of: observer).cursor else { return nil }
            let row = statements.insertAttempted
            bind(outcome, to: row, notBefore: outcome.state.notBefore ?? begunAt)
            row.bind(observer.key, at: 1)
            row.bind(outcome.event.rawValue, at: 8)
            var id: Int64?
            // To the end: an INSERT is done when it says so.
            try row.forEach { id = $0.integer(0) }
            return id
        }
        if found.settles(outcome) {
            bind(outcome, to: statements.settleDelivery, notBefore: outcome.state.notBefore)
            statements.settleDelivery.bind(found.id, at: 1)
            try statements.settleDelivery.run()
        } else {
            let row = statements.noteAttempt
            row.bind(found.id, at: 1)
            row.bind(found.isRenewed ? found.attempts : Int64(outcome.attempt.number), at: 2)
            row.bind(outcome.attempt.status.map(Int64.init), at: 3)
            row.bind(outcome.attempt.at.milliseconds, at: 4)
            row.bind(outcome.attempt.failure, at: 5)
            try row.run()
        }
        return found.id
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
    private func keep(
        _ outcome: DeliveryOutcome,
        of delivery: Int64,
        after logged: Int64,
        _ statements: WriterStatements
    ) throws {
        let row = statements.insertAttempt
        let ring = Schema.attemptsPerDelivery
        let attempt = outcome.attempt
        row.bind(delivery * ring + logged % ring, at: 1)
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

    /// - Returns: how long the observer has been failing.
    private func count(
        _ tally: OutcomeTally,
        of observer: RegisteredObserver,
        _ statements: WriterStatements
    ) throws -> Duration {
        let row = statements.countOutcomes
        row.bind(observer.key, at: 1)
        row.bind(tally.delivered, at: 2)
        row.bind(tally.failed, at: 3)
        row.bind(tally.dead, at: 4)
        row.bind(tally.lastStatus, at: 5)
        row.bind(tally.lastFailure, at: 6)
        row.bind(tally.lastAttemptAt, at: 7)
        row.bind(tally.failingSince, at: 8)
        row.bind(tally.pending, at: 9)
        row.bind(tally.failingFor, at: 10)
        var failingFor: Int64 = 0
        // To the end: an UPDATE is done when it says so.
        try row.forEach { failingFor = $0.integer(0) }
        return .milliseconds(failingFor)
    }
}
