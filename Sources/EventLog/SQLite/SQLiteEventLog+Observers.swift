extension SQLiteEventLog: ObserverStore {
    package func saveObserver(
        _ record: ObserverRecord,
        expecting: Int64?,
        resettingFailures: Bool
    ) async throws(EventLogError) -> SavedObserver {
        try await saveObserver(record, expecting: expecting, resettingFailures: resettingFailures, as: nil)
    }

    package func deleteObserver(_ id: ObserverID, expecting: Int64?) async throws(EventLogError) -> Bool {
        try await change { tables in
            tables.schedule.hasUnpurgedObservers = true
            return try tables.observers.remove(id, expecting: expecting)
        }
    }

    package func deleteObservers(of pattern: TopicPattern) async throws(EventLogError) -> [ObserverID] {
        try await deleteObservers(of: pattern, through: nil)
    }

    /// Deletes the observers of a topic or pattern whose revisions go up to one; nil for all.
    package func deleteObservers(
        of pattern: TopicPattern,
        through revision: Int64?
    ) async throws(EventLogError) -> [ObserverID] {
        try await change { tables in
            tables.schedule.hasUnpurgedObservers = true
            return try tables.observers.ids(of: pattern).filter {
                try tables.observers.remove($0, expecting: nil, through: revision ?? .max)
            }
        }
    }

    package func observers() async throws(EventLogError) -> [ObserverRecord] {
        try await read { reader in
            try reader.db.cached(
                "SELECT \(ObserverRecord.columns) FROM observer WHERE name IS NOT NULL ORDER BY created_at, name"
            ).map(ObserverRecord.init)
        }
    }

    package func observer(_ id: ObserverID) async throws(EventLogError) -> ObserverRecord? {
        try await read { reader in
            try reader.db.cached("SELECT \(ObserverRecord.columns) FROM observer WHERE name = ?1", id.rawValue)
                .first(ObserverRecord.init)
        }
    }
}
