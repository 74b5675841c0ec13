import EventLog

/// Registers an observer, or replaces the one of that id.
func save(
    _ log: any CompleteLog,
    _ id: ObserverID,
    _ topics: [String],
    types: [String] = [],
    receives: Bool = true
) async throws {
    let record = ObserverRecord(
        id: id,
        topics: topics.map(TopicPattern.of),
        types: types,
        receives: receives,
        createdAt: .now()
    )
    _ = try await log.saveObserver(record, expecting: nil)
}

extension DeliveryLog {
    /// Has events delivered to whoever has the id.
    @discardableResult
    func redeliver(
        _ events: [Position],
        to observer: ObserverID,
        at now: Timestamp
    ) async throws(EventLogError) -> Int? {
        try await redeliver(events, to: observer, createdAt: nil, at: now)
    }
}
