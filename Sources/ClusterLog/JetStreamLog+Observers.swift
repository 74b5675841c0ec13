package import EventLog

extension JetStreamLog: ObserverStore {
    /// Creates an observer or replaces the one of that id: see
    /// ``ObserverStore/saveObserver(_:expecting:resettingFailures:)``.
    package func saveObserver(
        _ record: ObserverRecord,
        expecting: Int64?,
        resettingFailures: Bool
    ) async throws(EventLogError) -> SavedObserver {
        if let refusal = refusal ?? replica.scarcity { throw refusal }
        try await index.admit(record)
        let command = Command.saveObserver(record, expecting: expecting, resettingFailures: resettingFailures)
        guard case .saved(let saved) = try await change(command) else { throw .unanswered }
        return saved
    }

    /// Deletes an observer: see ``ObserverStore/deleteObserver(_:expecting:)``.
    package func deleteObserver(_ id: ObserverID, expecting: Int64?) async throws(EventLogError) -> Bool {
        guard case .deleted(let wasThere) = try await change(.deleteObserver(id, expecting: expecting)) else {
            throw .unanswered
        }
        return wasThere
    }

    /// Deletes every observer that is registered for exactly this topic or pattern.
    package func deleteObservers(of pattern: TopicPattern) async throws(EventLogError) -> [ObserverID] {
        let command = Command.deleteObservers(of: pattern, through: Int64(clamping: try await newest(since: .now)))
        guard case .deletedObservers(let ids) = try await change(command) else { throw .unanswered }
        return ids
    }

    /// Every observer, by the time it was created, then by id.
    package func observers() async throws(EventLogError) -> [ObserverRecord] { try await index.observers() }

    /// One observer: see ``ObserverStore/observer(_:)``.
    package func observer(_ id: ObserverID) async throws(EventLogError) -> ObserverRecord? {
        try await index.observer(id)
    }

    /// Has what other nodes do to observers told: see ``ObserverStore/followObservers(_:)``.
    package func followObservers(_ follower: @escaping @Sendable (ObserverChange) -> Void) {
        replica.followObservers(follower)
    }
}
