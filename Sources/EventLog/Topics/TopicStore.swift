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

    /// Gives a topic bounds of its own, or with nil takes them away. The topic need not have events.
    /// - Returns: the topic as it is then; nil if it has neither events nor bounds of its own.
    @discardableResult
    func setRetention(_ retention: Retention?, of topic: Topic) async throws(EventLogError) -> TopicSummary?

    /// Removes a topic's events, which are gone for every reader at once, the deliveries of them, and its bounds.
    /// - Returns: whether there was anything to remove.
    func deleteTopic(_ topic: Topic) async throws(EventLogError) -> Bool

    /// Has a follower called with the topics that other nodes of a cluster delete, from now on. Called on a thread of the log's,
    /// which must not be kept.
    func followDeletions(_ follower: @escaping @Sendable (Topic) -> Void)
}
