/// Keeps the durable observers. Changes take their place in the sequence: an event committed after a change finds it.
public protocol ObserverStore: Sendable {
    /// Creates an observer or replaces the one of that id, whose pending deliveries stay.
    /// - Parameters:
    ///   - record: what to save; its revision does not matter, and neither does `createdAt` if one is replaced.
    ///   - expecting: the revision the present observer must have; nil if any will do, or none.
    ///   - forgivingFailures: whether it is forgotten since when its attempts fail.
    /// - Returns: the record as saved, and whether there was none before.
    /// - Throws: ``EventLogError`` with code `revision-changed`, or one of those of ``EventLog``.
    func saveObserver(
        _ record: ObserverRecord,
        expecting: Int64?,
        forgivingFailures: Bool
    ) async throws(EventLogError) -> (record: ObserverRecord, created: Bool)

    /// Deletes an observer with its deliveries. From the moment this is committed no event gets a delivery for it;
    /// when this returns, no row of it is left.
    /// - Parameter expecting: the revision it must have; nil if any will do.
    /// - Returns: whether there was one.
    /// - Throws: ``EventLogError`` with code `revision-changed`, or one of those of ``EventLog``.
    func deleteObserver(_ id: String, expecting: Int64?) async throws(EventLogError) -> Bool

    /// Deletes every observer that is registered for exactly this topic or pattern, whatever else it is registered for.
    /// - Returns: their ids.
    func deleteObservers(of pattern: TopicPattern) async throws(EventLogError) -> [String]

    /// Every observer, by the time it was created, then by id.
    func observers() async throws(EventLogError) -> [ObserverRecord]
}

extension ObserverStore {
    /// Creates an observer or replaces the one of that id, whose attempts go on failing if they do.
    public func saveObserver(
        _ record: ObserverRecord,
        expecting: Int64?
    ) async throws(EventLogError) -> (record: ObserverRecord, created: Bool) {
        try await saveObserver(record, expecting: expecting, forgivingFailures: false)
    }
}
