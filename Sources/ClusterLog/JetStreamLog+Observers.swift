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
        guard case .deletedObservers(let ids) = try await change(.deleteObservers(of: pattern)) else {
            throw .unanswered
        }
        return ids
    }

    /// Every observer, by the time it was created, then by id.
    package func observers() async throws(EventLogError) -> [ObserverRecord] { try await index.observers() }

    /// Has what other nodes do to observers told: see ``ObserverStore/followObservers(_:)``.
    package func followObservers(_ follower: @escaping @Sendable (ObserverChange) -> Void) {
        replica.followObservers(follower)
    }
}

extension JetStreamLog: TopicStore {
    /// The topics there are: see ``TopicStore/topics(prefix:after:limit:)``.
    package func topics(prefix: String, after: String?, limit: Int) async throws(EventLogError) -> [TopicSummary] {
        try await index.topics(prefix: prefix, after: after, limit: limit)
    }

    /// One topic: see ``TopicStore/summary(of:)``.
    package func summary(of topic: Topic) async throws(EventLogError) -> TopicSummary? {
        try await index.summary(of: topic)
    }

    /// Gives a topic bounds of its own: see ``TopicStore/setRetention(_:of:)``.
    @discardableResult
    package func setRetention(_ retention: Retention?, of topic: Topic) async throws(EventLogError) -> TopicSummary? {
        if let refusal { throw refusal }
        if retention?.isUnbounded == false { try await index.admit(topic) }
        guard case .topic(let summary) = try await change(.setRetention(retention, of: topic)) else {
            throw .unanswered
        }
        return summary
    }

    /// Removes a topic: see ``TopicStore/deleteTopic(_:)``.
    package func deleteTopic(_ topic: Topic) async throws(EventLogError) -> Bool {
        guard case .deleted(let wasThere) = try await change(.deleteTopic(topic)) else { throw .unanswered }
        return wasThere
    }

    /// Has it told which topics other nodes delete: see ``TopicStore/followDeletions(_:)``.
    package func followDeletions(_ follower: @escaping @Sendable (Topic) -> Void) { replica.followDeletions(follower) }
}
