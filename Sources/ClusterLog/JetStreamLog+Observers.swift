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
        let command = Command.deleteObservers(of: pattern, through: Int64(clamping: try await newest()))
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

extension JetStreamLog: TopicStore {
    /// The topics there are: see ``TopicStore/topics(prefix:after:limit:)``.
    package func topics(prefix: String, after: String?, limit: Int) async throws(EventLogError) -> [TopicSummary] {
        try await index.topics(prefix: prefix, after: after, limit: limit)
    }

    /// One topic: see ``TopicStore/summary(of:)``.
    package func summary(of topic: Topic) async throws(EventLogError) -> TopicSummary? {
        try await index.summary(of: topic)
    }

    /// Waits until this node has taken what is in the stream: see ``TopicStore/catchUp()``.
    package func catchUp() async throws(EventLogError) -> Bool {
        if let refusal { throw refusal }
        guard try await hasTaken(try await probes.ask(.since(.now))) else {
            throw EventLogError(code: .unavailable, message: "This node is behind the cluster's log.")
        }
        return true
    }

    /// Gives a topic bounds of its own: see ``TopicStore/setRetention(_:of:expecting:)``. Whether it has events is what this
    /// node finds before; whether it has bounds is found alike by all, in the order of the stream.
    @discardableResult
    package func setRetention(
        _ retention: Retention?,
        of topic: Topic,
        expecting isThere: Bool?
    ) async throws(EventLogError) -> TopicSummary? {
        if let refusal { throw refusal }
        if retention?.isUnbounded == false { try await index.admit(topic) }
        while true {
            let present = isThere == nil ? nil : try await index.summary(of: topic)
            if let isThere, isThere != (present != nil) { throw .topicChanged }
            let isBounded = isThere.map { _ in present?.retention != nil }
            do throws(EventLogError) {
                let command = Command.setRetention(retention, of: topic, expectingBounds: isBounded)
                guard case .topic(let summary) = try await change(command) else { throw EventLogError.unanswered }
                return summary
            } catch {
                // Others were first: it may be as it is to be all the same.
                if error.code != .revisionChanged { throw error }
            }
        }
    }

    /// Removes a topic: see ``TopicStore/deleteTopic(_:)``.
    package func deleteTopic(_ topic: Topic) async throws(EventLogError) -> Bool {
        let command = Command.deleteTopic(topic, through: replica.numbering.end(of: try await newest()))
        guard case .deleted(let wasThere) = try await change(command) else { throw .unanswered }
        return wasThere
    }

    /// The place up to which a deletion goes: of what the servers had when it was asked for. If they cannot say, for want of room,
    /// that is what this node has.
    private func newest() async throws(EventLogError) -> UInt64 {
        if let refusal { throw refusal }
        do throws(EventLogError) {
            return try await probes.ask(.since(.now))
        } catch {
            if error.code != .storageFull { throw error }
            return replica.taken
        }
    }

    /// Has it told which topics other nodes delete: see ``TopicStore/followDeletions(_:)``.
    package func followDeletions(_ follower: @escaping @Sendable (Topic) -> Void) { replica.followDeletions(follower) }
}
