import EventLog
import Locking

/// Deliveries that were asked for once more of events which this node has removed already, and others may not have: what one
/// node's maintenance has left is nothing that all agree on. They wait at those that still have the event. Whoever delivers to
/// the observer and does not have it says so, and they wait no longer. Pure.
struct PassedOver: Sendable {
    private var events: [ObserverID: Set<Position>] = [:]
    private var count = 0

    /// How many are kept in mind.
    static let most = 1 << 18

    /// Takes in that some were asked for whose events are gone here.
    mutating func add(_ gone: [Position], for observer: ObserverID) {
        for event in gone where count < Self.most && events[observer, default: []].insert(event).inserted { count += 1 }
    }

    /// Takes in what became of deliveries.
    mutating func settle(_ outcomes: [DeliveryOutcome]) {
        if count == 0 { return }
        for outcome in outcomes {
            if case .pending = outcome.state { continue }
            if events[outcome.observer]?.remove(outcome.event) != nil { count -= 1 }
            if events[outcome.observer]?.isEmpty == true { events[outcome.observer] = nil }
        }
    }

    /// Takes in that nothing waits for an observer any more.
    mutating func forget(_ observer: ObserverID) { count -= events.removeValue(forKey: observer)?.count ?? 0 }

    /// Some of those of observers that a condition holds for.
    func some(_ limit: Int, where isWanted: (ObserverID) -> Bool) -> [(observer: ObserverID, event: Position)] {
        var found: [(observer: ObserverID, event: Position)] = []
        for (observer, gone) in events where found.count < limit && isWanted(observer) {
            found += gone.prefix(limit - found.count).map { (observer, $0) }
        }
        return found
    }
}

extension Replica {
    /// Takes in what a command leaves, or ends, of deliveries that this node cannot make.
    func notePassedOver(_ command: Command, _ applied: Applied) {
        switch (command, applied) {
        case (.redeliver(let events, let observer, _, _), .count(.some)):
            let missing = try? Waiting.wait { [index] () async throws(EventLogError) in try await index.missing(events)
            }
            passedOver.withLock { $0.add(missing ?? [], for: observer) }
        case (.abandonDeliveries(let observer, _, _), _), (.deleteObserver(let observer, _), .deleted(true)):
            passedOver.withLock { $0.forget(observer) }
        case (_, .deletedObservers(let observers)):
            passedOver.withLock { passedOver in for observer in observers { passedOver.forget(observer) } }
        default: break
        }
    }

    /// Says of deliveries which are this node's to make that their events are gone. What is lost on its way is said again.
    func settlePassedOver(to subjects: Subjects) {
        let duty = keeper.duty
        let gone = passedOver.withLock { $0.some(Self.mostSettled) { duty.contains(Parts(of: $0)) } }
        if gone.isEmpty || scarcity != nil { return }
        let outcomes = gone.map { DeliveryOutcome.gone($0.event, for: $0.observer, at: index.timeOfDay) }
        publisher.send(.recordOutcomes(outcomes, term: keeper.term), to: subjects.outcomes, .change { _ in })
    }

    /// How many are said at once: each takes 200 bytes or so of a message.
    private static let mostSettled = 500
}
