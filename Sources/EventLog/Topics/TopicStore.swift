/// Keeps what belongs to topics beside their events.
package protocol TopicStore: AnyObject, Sendable {
    /// The topics that have events or bounds of their own, in the order of their names' bytes.
    /// - Parameters:
    ///   - prefix: what their names begin with; empty for all.
    ///   - after: the name to go on after; nil for the beginning.
    ///   - limit: the most topics to answer, at least 1.
    func topics(prefix: String, after: String?, limit: Int) async throws(EventLogError) -> [TopicSummary]

    /// One topic; nil if it has neither events nor bounds of its own.
    func summary(of topic: Topic) async throws(EventLogError) -> TopicSummary?

    /// Waits until what was acknowledged before, by whichever node of a cluster, is what the log tells.
    /// - Returns: whether there may be something new: false of a log that no other node writes to.
    @discardableResult
    func catchUp() async throws(EventLogError) -> Bool

    /// Gives a topic bounds of its own, or with nil takes them away. The topic need not have events.
    /// - Parameter isThere: whether the topic is to have events or bounds of its own before; nil if that does not matter.
    /// - Returns: the topic as it is then; nil if it has neither events nor bounds of its own.
    /// - Throws: ``EventLogError`` with code `revision-changed` if it is not as it was to be.
    @discardableResult
    func setRetention(
        _ retention: Retention?,
        of topic: Topic,
        expecting isThere: Bool?
    ) async throws(EventLogError) -> TopicSummary?

    /// Removes a topic's events, which are gone for every reader at once, the deliveries of them, and its bounds.
    /// - Returns: whether there was anything to remove.
    func deleteTopic(_ topic: Topic) async throws(EventLogError) -> Bool

    /// Has a follower called with the topics that other nodes of a cluster delete, from now on. Called on a thread of the log's,
    /// which must not be kept.
    func followDeletions(_ follower: @escaping @Sendable (Topic) -> Void)
}

extension TopicStore {
    /// Gives a topic bounds of its own, whether it is there or not: see ``setRetention(_:of:expecting:)``.
    @discardableResult
    package func setRetention(_ retention: Retention?, of topic: Topic) async throws(EventLogError) -> TopicSummary? {
        try await setRetention(retention, of: topic, expecting: nil)
    }
}

extension EventLogError {
    /// A topic was to be there, or not to be there, and is not so.
    package static var topicChanged: EventLogError {
        EventLogError(code: .revisionChanged, message: "The topic was made, changed or deleted meanwhile.")
    }
}
