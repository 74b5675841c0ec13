internal import GRDB

extension SQLiteEventLog: ObserverStore {
    /// Creates an observer or replaces the one of that id: see
    /// ``ObserverStore/saveObserver(_:expecting:resettingFailures:)``.
    public func saveObserver(
        _ record: ObserverRecord,
        expecting: Int64?,
        resettingFailures: Bool
    ) async throws(EventLogError) -> SavedObserver {
        try await change(makesRoom: false) { writer, db in
            try writer.save(record, expecting: expecting, resettingFailures: resettingFailures, db)
        }
    }

    /// Deletes an observer: see ``ObserverStore/deleteObserver(_:expecting:)``.
    public func deleteObserver(_ id: String, expecting: Int64?) async throws(EventLogError) -> Bool {
        try await change { writer, db in try writer.remove(id, expecting: expecting, db) }
    }

    /// Deletes every observer that is registered for exactly this topic or pattern.
    public func deleteObservers(of pattern: TopicPattern) async throws(EventLogError) -> [String] {
        try await change { writer, db in
            let ids = writer.memory.observers.ids(of: pattern)
            for id in ids { _ = try writer.remove(id, expecting: nil, db) }
            return ids
        }
    }

    /// Every observer, by the time it was created, then by id.
    public func observers() async throws(EventLogError) -> [ObserverRecord] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM observer WHERE name IS NOT NULL ORDER BY created_at, name"
            ).map(ObserverRecord.init)
        }
    }
}
