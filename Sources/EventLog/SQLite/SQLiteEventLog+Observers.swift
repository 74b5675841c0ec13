internal import GRDB

extension SQLiteEventLog: ObserverStore {
    /// Creates an observer or replaces the one of that id: see
    /// ``ObserverStore/saveObserver(_:expecting:forgivingFailures:)``.
    public func saveObserver(
        _ record: ObserverRecord,
        expecting: Int64?,
        forgivingFailures: Bool
    ) async throws(EventLogError) -> (record: ObserverRecord, created: Bool) {
        try await change(makesRoom: false) { writer, db in
            try writer.save(record, expecting: expecting, forgivingFailures: forgivingFailures, db)
        }
    }

    /// Deletes an observer with its deliveries: see ``ObserverStore/deleteObserver(_:expecting:)``.
    public func deleteObserver(_ id: String, expecting: Int64?) async throws(EventLogError) -> Bool {
        let existed = try await change { writer, db in try writer.remove(id, expecting: expecting, db) }
        if existed { try await purge() }
        return existed
    }

    /// Deletes every observer that is registered for exactly this topic or pattern.
    public func deleteObservers(of pattern: TopicPattern) async throws(EventLogError) -> [String] {
        let ids = try await change { writer, db in
            let ids = writer.observers.ids(of: pattern)
            for id in ids { _ = try writer.remove(id, expecting: nil, db) }
            return ids
        }
        if !ids.isEmpty { try await purge() }
        return ids
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

    /// Deletes the deliveries of observers that were taken out, a part at a time so that posts get their turn between.
    func purge() async throws(EventLogError) {
        while try await change({ writer, db in try writer.purgeDeliveries(db) }) {}
    }
}
