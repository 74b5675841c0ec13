internal import GRDB

extension SQLiteEventLog: ObserverStore {
    /// Creates an observer or replaces the one of that id: see
    /// ``ObserverStore/saveObserver(_:expecting:resettingFailures:)``.
    public func saveObserver(
        _ record: ObserverRecord,
        expecting: Int64?,
        resettingFailures: Bool
    ) async throws(EventLogError) -> SavedObserver {
        try await saveObserver(record, expecting: expecting, resettingFailures: resettingFailures, as: nil)
    }

    /// Deletes an observer: see ``ObserverStore/deleteObserver(_:expecting:)``.
    public func deleteObserver(_ id: ObserverID, expecting: Int64?) async throws(EventLogError) -> Bool {
        try await change { tables in
            tables.schedule.hasUnpurgedObservers = true
            return try tables.observers.remove(id, expecting: expecting)
        }
    }

    /// Deletes every observer that is registered for exactly this topic or pattern.
    public func deleteObservers(of pattern: TopicPattern) async throws(EventLogError) -> [ObserverID] {
        try await change { tables in
            tables.schedule.hasUnpurgedObservers = true
            return try tables.observers.ids(of: pattern).filter { try tables.observers.remove($0, expecting: nil) }
        }
    }

    /// Every observer, by the time it was created, then by id.
    public func observers() async throws(EventLogError) -> [ObserverRecord] {
        try await read { reader in
            try reader.db.cached(
                "SELECT \(ObserverRecord.columns) FROM observer WHERE name IS NOT NULL ORDER BY created_at, name"
            ).map(ObserverRecord.init)
        }
    }
}
