internal import GRDB

extension LogWriter {
    /// Deletes some rows of a topic that was deleted.
    func purgeTopic(_ limit: Int, _ db: Database) throws {
        let unpurged = try PreparedStatement(
            cachedIn: db,
            "SELECT id, removed FROM topic INDEXED BY topic_unpurged WHERE is_purged = 0 LIMIT 1"
        )
        guard let topic = try unpurged.first({ (id: $0.integer(0), removed: $0.integer(1)) }) else {
            schedule.hasUnpurgedTopics = false
            return
        }
        let rows = try PreparedStatement(
            cachedIn: db,
            """
            SELECT seq, length(data), EXISTS (SELECT 1 FROM delivery WHERE delivery.event = seq)
            FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3
            """
        )
        rows.bind(topic.id, at: 1)
        rows.bind(topic.removed, at: 2)
        rows.bind(Int64(limit), at: 3)
        var found: [(position: Int64, bytes: Int64, hasDeliveries: Bool)] = []
        try rows.forEach { found.append(($0.integer(0), $0.integer(1), $0.integer(2) != 0)) }
        var touched = 0
        for row in found {
            if touched >= limit { return }
            touched += try delete(row.position, bytes: row.bytes, hasDeliveries: row.hasDeliveries, db)
            schedule.mayHaveFreePages = true
        }
        if found.count < limit {
            try db.execute(sql: "UPDATE topic SET is_purged = 1 WHERE id = ?", arguments: [topic.id])
            schedule.mayHaveGoneTopics = true
        }
    }

    /// Deletes the row of an event, and the deliveries of it.
    /// - Returns: how many rows that were, or as many as it cost.
    func delete(_ position: Int64, bytes: Int64, hasDeliveries: Bool, _ db: Database) throws -> Int {
        var rows = 1 + Int(bytes) / MaintenanceSchedule.bytesPerRow
        if hasDeliveries {
            let pending = try PreparedStatement(
                cachedIn: db,
                """
                UPDATE delivery_stats SET pending = pending - 1 WHERE observer IN (
                    SELECT observer FROM delivery WHERE event = ?1 AND state = \(Schema.pending)
                )
                """
            )
            pending.bind(position, at: 1)
            try pending.run()
            let delivery = try PreparedStatement(cachedIn: db, "DELETE FROM delivery WHERE event = ?1")
            delivery.bind(position, at: 1)
            try delivery.run()
            rows += db.changesCount
        }
        let event = try PreparedStatement(cachedIn: db, "DELETE FROM event WHERE seq = ?1")
        event.bind(position, at: 1)
        try event.run()
        return rows
    }

    /// Forgets some keys whose lifetime is over.
    func forgetKeys(_ limit: Int, at now: Timestamp, _ db: Database) throws {
        let old = try PreparedStatement(
            cachedIn: db,
            """
            SELECT topic, key FROM idempotency INDEXED BY idempotency_used WHERE used_at <= ?1 ORDER BY used_at LIMIT ?2
            """
        )
        old.bind(time.now.milliseconds - IdempotencyKey.lifetime, at: 1)
        old.bind(Int64(limit), at: 2)
        var found: [(topic: Int64, key: String)] = []
        try old.forEach { found.append(($0.integer(0), $0.text(1))) }
        // One by one: SQLite would look for a list of pairs by their topics only.
        let row = try PreparedStatement(cachedIn: db, "DELETE FROM idempotency WHERE topic = ?1 AND key = ?2")
        for key in found {
            row.bind(key.topic, at: 1)
            row.bind(key.key, at: 2)
            try row.run()
        }
        memory.held.keys -= found.count
        if !found.isEmpty {
            schedule.mayHaveFreePages = true
            schedule.mayHaveGoneTopics = true
        }
        guard found.count < limit else { return }
        // In the same turn: both are rows that have become too old for any use.
        if try !purgeDeliveryHistory(limit - found.count, at: now, db) { schedule.keysForgotten(at: now) }
    }

    /// Gives some free pages at the file's end back to the file system (`PRAGMA incremental_vacuum`), if there are many:
    /// more than an eighth of the file, because what posts will use again soon had better stay.
    func giveBack(_ limit: Int, _ db: Database) throws {
        func number(_ pragma: String) throws -> Int64 {
            try PreparedStatement(cachedIn: db, "PRAGMA \(pragma)").first { $0.integer(0) } ?? 0
        }
        let free = try number("freelist_count")
        let isMuch = try free >= max(Self.freePages, number("page_count") / 8) || (diskSpace.isFull && free > 0)
        guard isIncrementallyVacuumed, isMuch else {
            schedule.mayHaveFreePages = false
            return
        }
        try PreparedStatement(db, "PRAGMA incremental_vacuum(\(limit))").run()
        // The file itself becomes shorter at a checkpoint.
        writeAheadLog.wantsCheckpoint = true
    }

    /// The pages of free space in the file, 4 KiB each, up to which it is kept however small the file is.
    private static let freePages: Int64 = 512
}
