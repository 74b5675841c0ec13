package import EventLog

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
        let asked = ContinuousClock.now
        // Who asks for what is not there waits as long, so that one message for all who do is written in that time.
        try? await Task.sleep(for: .milliseconds(20))
        guard try await hasTaken(try await newest(since: asked)) else {
            throw .isBehind
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
        let command = Command.deleteTopic(topic, through: replica.numbering.end(of: try await newest(since: .now)))
        guard case .deleted(let wasThere) = try await change(command) else { throw .unanswered }
        return wasThere
    }

    /// A place in the stream up to which it has what was acknowledged before a moment. If the servers cannot say, for want of room, that
    /// is what this node has.
    func newest(since moment: ContinuousClock.Instant) async throws(EventLogError) -> UInt64 {
        if let refusal { throw refusal }
        do throws(EventLogError) {
            return try await probes.ask(.since(moment))
        } catch {
            if error.code != .storageFull { throw error }
            return replica.taken
        }
    }

    /// Has it told which topics other nodes delete: see ``TopicStore/followDeletions(_:)``.
    package func followDeletions(_ follower: @escaping @Sendable (Topic) -> Void) { replica.followDeletions(follower) }
}
