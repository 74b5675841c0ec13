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
