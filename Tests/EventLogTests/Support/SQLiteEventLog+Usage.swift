import GRDB

@testable import EventLog

extension SQLiteEventLog {
    /// What the tables say that the log holds of what is bounded, counted anew, and what differs from its own count.
    func usageFault() async throws -> String? {
        try await settle()
        let topics = try await topics(prefix: "", after: nil, limit: 1_000_000).count { topic in
            !limits.uncountedTopics.contains(topic.topic)
        }
        let keys = try await read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM idempotency") ?? 0 }
        let observers = try await observers().count
        let known = try await change { $0.observers.count }
        let (counted, found) = ([usage.topics, usage.idempotencyKeys, known], [topics, keys, observers])
        return counted == found ? nil : "topics, keys and observers are counted as \(counted), but are \(found)"
    }
}
