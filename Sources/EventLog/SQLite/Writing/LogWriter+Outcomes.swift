internal import GRDB

extension LogWriter {
    /// Records outcomes: see ``DeliveryLog/recordOutcomes(_:completion:)``.
    /// - Returns: of the observers concerned, those that failed last: how long they have been failing.
    func record(_ outcomes: [DeliveryOutcome], _ db: Database) throws -> [String: Duration] {
        guard let rows = statements?.deliveries else { throw EventLogError.isClosed }
        var tallies: [String: OutcomeTally] = [:]
        for outcome in outcomes {
            guard let observer = memory.observers[outcome.observer] else { continue }
            let subscription = memory.observers.subscription(of: observer)
            guard let written = try rows.write(outcome, of: subscription, at: begunAt) else { continue }
            tallies[observer.id, default: OutcomeTally()].add(outcome, before: written.before)
        }
        schedule.committed(rows: outcomes.count)
        var failing: [String: Duration] = [:]
        for (id, tally) in tallies {
            guard let observer = memory.observers[id] else { continue }
            let duration = try rows.add(tally, to: observer.key)
            if tally.failingSince != nil { failing[id] = duration }
            // Most come in order: then it comes to what is still under way.
            try moveCursor(of: observer, scanning: 4 * tally.count + 64, db)
        }
        return failing
    }
}
