internal import GRDB

/// The idempotency keys, and how many there are.
final class IdempotencyWriter {
    private let db: Database
    private let find: PreparedStatement
    private let insert: PreparedStatement
    /// How many there are, those included that are too old and were not removed yet.
    private(set) var quota: Quota

    /// What a key was used for.
    typealias Use = (fingerprint: [UInt8], event: Int64, time: Timestamp)

    init(_ db: Database, limit: Int) throws {
        self.db = db
        find = try db.compiled(
            """
            SELECT fingerprint, event, time FROM idempotency
            WHERE topic = ?1 AND key = ?2 AND used_at > ?3 AND event > (SELECT deleted FROM topic WHERE id = ?1)
            """
        )
        insert = try db.compiled(
            """
            INSERT OR IGNORE INTO idempotency (topic, key, fingerprint, event, time, used_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """
        )
        let held = try db.number("SELECT ifnull(held_keys, (SELECT count(*) FROM idempotency)) FROM log")
        quota = Quota(name: "idempotency keys of the last 24 hours", limit: limit, count: Int(held))
    }

    func goBack(to mark: Int) { quota.count = mark }

    /// What a key was used for on a topic, unless that is too long ago.
    /// - Parameter now: the log's time.
    func use(of key: IdempotencyKey, on topic: Int64, at now: Timestamp) throws -> Use? {
        try find.bind(topic, key.text, now.milliseconds - IdempotencyKey.lifetime)
            .first { ($0[0], $0[1], $0[2]) }
    }

    /// Keeps what a key is used for.
    func keep(_ key: IdempotencyKey, of event: Event, on topic: Int64, at now: Timestamp) throws {
        try insert.bind(topic, key.text, key.fingerprint, event.position, event.time, now).run()
        if db.changesCount == 0 {
            // One that is too old, or of a topic that was deleted, still has its row.
            _ = try forget(
                db.cached("SELECT topic, key, event FROM idempotency WHERE topic = ?1 AND key = ?2", topic, key.text)
            )
            try insert.run()
        }
        quota.count += 1
    }

    /// Forgets some keys whose lifetime is over.
    /// - Returns: the events that were appended with them.
    func forget(_ limit: Int, at now: Timestamp) throws -> [Int64] {
        let found = try db.cached(
            """
            SELECT topic, key, event FROM idempotency INDEXED BY idempotency_used WHERE used_at <= ?1 ORDER BY used_at LIMIT ?2
            """
        ).bind(now.milliseconds - IdempotencyKey.lifetime, limit)
        return try forget(found)
    }

    /// Forgets some keys of a topic's events up to a position.
    /// - Returns: the events that were appended with them.
    func forget(of topic: Int64, through event: Int64, atMost limit: Int) throws -> [Int64] {
        let found = try db.cached("SELECT topic, key, event FROM idempotency WHERE topic = ?1 AND event <= ?2 LIMIT ?3")
            .bind(topic, event, limit)
        return try forget(found)
    }

    private func forget(_ rows: PreparedStatement) throws -> [Int64] {
        let found = try rows.map { (topic: $0.integer(0), key: $0[1] as String, event: $0.integer(2)) }
        // One by one: SQLite would look for a list of pairs by their topics only.
        for use in found { try db.run("DELETE FROM idempotency WHERE topic = ?1 AND key = ?2", use.topic, use.key) }
        quota.count -= found.count
        return found.map(\.event)
    }
}
