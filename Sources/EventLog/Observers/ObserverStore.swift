/// What became of an observer that was saved.
package struct SavedObserver: Sendable {
    package let record: ObserverRecord
    /// Whether there was none before.
    package let created: Bool
    /// What had become of its deliveries by then; `pending` is without those that were never tried, which take time to count.
    package let tried: DeliveryStats
}

/// Keeps the durable observers. Changes take their place in the sequence: an event committed after a change finds it.
/// Each is one commit: what throws has changed nothing.
package protocol ObserverStore: Sendable {
    /// Creates an observer or replaces the one of that id, whose pending deliveries stay.
    /// - Parameters:
    ///   - record: what to save; its revision does not matter, and neither does `createdAt` if one is replaced.
    ///   - expecting: the revision the present observer must have, 0 if there must be none; nil if any will do, or none.
    ///   - resettingFailures: whether it counts anew since when its attempts fail.
    /// - Throws: ``EventLogError`` with code `revision-changed`, or one of those of ``EventLog``.
    func saveObserver(
        _ record: ObserverRecord,
        expecting: Int64?,
        resettingFailures: Bool
    ) async throws(EventLogError) -> SavedObserver

    /// Deletes an observer with its deliveries: no event gets a delivery for it from now on, and nothing finds those it
    /// has. Their rows go a little later.
    /// - Parameter expecting: the revision it must have; nil if any will do.
    /// - Returns: whether there was one.
    /// - Throws: ``EventLogError`` with code `revision-changed`, or one of those of ``EventLog``.
    func deleteObserver(_ id: ObserverID, expecting: Int64?) async throws(EventLogError) -> Bool

    /// Deletes every observer that is registered for exactly this topic or pattern, whatever else it is registered for.
    /// - Returns: their ids.
    func deleteObservers(of pattern: TopicPattern) async throws(EventLogError) -> [ObserverID]

    /// Every observer, by the time it was created, then by id.
    func observers() async throws(EventLogError) -> [ObserverRecord]

    /// One observer; nil if there is none of that id.
    func observer(_ id: ObserverID) async throws(EventLogError) -> ObserverRecord?

    /// Has a follower called with what other nodes do to observers, in their order, from now on. Called on a thread of the log's,
    /// which must not be kept.
    func followObservers(_ follower: @escaping @Sendable (ObserverChange) -> Void)
}
