internal import GRDB

/// The rows of idempotency keys. Confined to the writer's thread.
struct IdempotencyRows {
    private let find: PreparedStatement
    private let insert: PreparedStatement
    private let replace: PreparedStatement

    /// What a key was used for.
    struct Use {
        let fingerprint: [UInt8]
        let event: Int64
        let time: Timestamp
    }

    init(_ db: Database) throws {
        find = try PreparedStatement(
            db,
            """
            SELECT fingerprint, event, time FROM idempotency
            WHERE topic = ?1 AND key = ?2 AND used_at > ?3 AND event > (SELECT deleted FROM topic WHERE id = ?1)
            """
        )
        insert = try PreparedStatement(
            db,
            """
            INSERT OR IGNORE INTO idempotency (topic, key, fingerprint, event, time, used_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING 1
            """
        )
        replace = try PreparedStatement(
            db,
            """
            UPDATE idempotency SET fingerprint = ?3, event = ?4, time = ?5, used_at = ?6 WHERE topic = ?1 AND key = ?2
            """
        )
    }

    /// What a key was used for on a topic, unless that is too long ago.
    /// - Parameter now: the log's time.
    func use(of key: IdempotencyKey, on topic: Int64, at now: Timestamp) throws -> Use? {
        find.bind(topic, at: 1)
        find.bind(key.text, at: 2)
        find.bind(now.milliseconds - IdempotencyKey.lifetime, at: 3)
        return try find.first { row in
            Use(fingerprint: row.bytes(0), event: row.integer(1), time: Timestamp(milliseconds: row.integer(2)))
        }
    }

    /// Keeps what a key is used for.
    /// - Returns: whether there was no row of it.
    func keep(_ key: IdempotencyKey, of event: Event, on topic: Int64, at now: Timestamp) throws -> Bool {
        func bind(_ row: PreparedStatement) {
            row.bind(topic, at: 1)
            row.bind(key.text, at: 2)
            row.bind(key.fingerprint, at: 3)
            row.bind(event.position.rawValue, at: 4)
            row.bind(event.time.milliseconds, at: 5)
            row.bind(now.milliseconds, at: 6)
        }
        bind(insert)
        var isNew = false
        try insert.forEach { _ in isNew = true }
        if isNew { return true }
        // One that is too old, or of a topic that was deleted, and still has its row.
        bind(replace)
        try replace.run()
        return false
    }
}
