import Foundation
internal import GRDB

extension LogWriter {
    /// Takes in what the table says, when the log is opened.
    func readObservers(_ db: Database) throws {
        for row in try Row.fetchAll(db, sql: "SELECT * FROM observer WHERE name IS NOT NULL") {
            let record = ObserverRecord(row)
            guard let subscription = try Subscription(of: record.id, db) else { continue }
            let observer = RegisteredObserver(record, key: subscription.key, interests: subscription.interests)
            memory.observers.insert(observer)
            memory.observers.move(observer.key, to: subscription.cursor)
        }
    }

    /// Saves an observer; see ``ObserverStore/saveObserver(_:expecting:resettingFailures:)``.
    func save(
        _ record: ObserverRecord,
        expecting: Int64?,
        resettingFailures: Bool,
        _ db: Database
    ) throws -> SavedObserver {
        let present = try row(of: record.id, expecting: expecting, db)
        if present == nil, expecting != nil {
            throw EventLogError(code: EventLogError.revisionChanged, message: "There is no such observer.")
        }
        if present == nil, let excess = excessOfObservers() { throw excess }
        var saved = record
        try db.execute(sql: "UPDATE log SET revision = revision + 1")
        saved.revision = try Int64.fetchOne(db, sql: "SELECT revision FROM log") ?? 0
        if let present { saved.createdAt = ObserverRecord(present).createdAt }
        let values: StatementArguments = [
            saved.id, saved.topicLines, saved.typeLines, saved.receives, Data(saved.document),
            saved.createdAt.milliseconds, saved.revision,
        ]
        let key: Int64
        if let present {
            key = present["key"]
            try db.execute(
                sql: """
                    UPDATE observer SET (name, topics, types, receives, document, created_at, revision) =
                        (?, ?, ?, ?, ?, ?, ?) WHERE key = ?
                    """,
                arguments: values + [key]
            )
            if resettingFailures {
                try db.execute(
                    sql: "UPDATE delivery_stats SET failing_since = NULL, failing_for = 0 WHERE observer = ?",
                    arguments: [key]
                )
            }
        } else {
            try db.execute(
                sql: """
                    INSERT INTO observer (name, topics, types, receives, document, created_at, revision)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: values
            )
            key = db.lastInsertedRowID
            try db.execute(
                sql: "INSERT INTO delivery_stats (observer, cursor) VALUES (?, ?)",
                arguments: [key, memory.tail]
            )
            memory.observers.move(key, to: memory.tail)
        }
        let before = memory.observers[saved.id]?.interests ?? []
        let interests = try setInterest(saved, of: key, after: before, db)
        memory.observers.insert(RegisteredObserver(saved, key: key, interests: interests))
        // Read here: what was saved is answered whatever fails later.
        var reader = DeliveryReader(db, epoch: epoch)
        let stats = try reader.stats(of: saved.id)
        return SavedObserver(record: saved, created: present == nil, stats: stats)
    }

    /// Takes an observer out: it gets no more deliveries, and those it has are left for ``purgeObserver(_:_:)``.
    /// - Returns: whether there was one.
    func remove(_ id: String, expecting: Int64?, _ db: Database) throws -> Bool {
        guard let present = try row(of: id, expecting: expecting, db) else { return false }
        try db.execute(sql: "UPDATE observer SET name = NULL WHERE key = ?", arguments: [present["key"] as Int64])
        memory.observers.remove(id)
        schedule.hasUnpurgedObservers = true
        return true
    }

    /// Deletes some deliveries of an observer that was taken out.
    func purgeObserver(_ limit: Int, _ db: Database) throws {
        guard let key = try Int64.fetchOne(db, sql: "SELECT key FROM observer WHERE name IS NULL LIMIT 1") else {
            schedule.hasUnpurgedObservers = false
            return
        }
        try db.execute(
            sql: """
                DELETE FROM delivery WHERE id IN (
                    SELECT id FROM delivery INDEXED BY delivery_state WHERE observer = ?1 LIMIT ?2
                )
                """,
            arguments: [key, limit]
        )
        schedule.mayHaveFreePages = true
        if db.changesCount < limit {
            try db.execute(sql: "DELETE FROM interest WHERE observer = ?", arguments: [key])
            try db.execute(sql: "DELETE FROM delivery_stats WHERE observer = ?", arguments: [key])
            try db.execute(sql: "DELETE FROM observer WHERE key = ?", arguments: [key])
        }
    }

    /// How many rows a long change touches in one transaction: about 10 ms.
    static let rowsAtOnce = 2_000

    private func row(of id: String, expecting: Int64?, _ db: Database) throws -> Row? {
        let row = try Row.fetchOne(db, sql: "SELECT * FROM observer WHERE name = ?", arguments: [id])
        if let expecting, let row, row["revision"] as Int64 != expecting {
            throw EventLogError(code: EventLogError.revisionChanged, message: "The observer was changed meanwhile.")
        }
        return row
    }
}
