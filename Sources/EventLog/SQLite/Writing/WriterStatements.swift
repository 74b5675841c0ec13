internal import GRDB

/// What the writer runs for every event or every transaction, compiled once.
struct WriterStatements {
    let begin: PreparedStatement
    let commit: PreparedStatement
    let rollback: PreparedStatement
    let savepoint: PreparedStatement
    let rollbackToSavepoint: PreparedStatement
    let release: PreparedStatement
    let findTopic: PreparedStatement
    let insertTopic: PreparedStatement
    let insertEvent: PreparedStatement
    let insertAttempted: PreparedStatement
    let noteTime: PreparedStatement
    let findDelivery: PreparedStatement
    let settleDelivery: PreparedStatement
    let noteAttempt: PreparedStatement
    let insertAttempt: PreparedStatement
    let countOutcomes: PreparedStatement
    let newestOfTopic: PreparedStatement
    let findKey: PreparedStatement
    let insertKey: PreparedStatement
    let replaceKey: PreparedStatement

    init(_ db: Database) throws {
        // The write lock is taken at once, so that no later statement can find it taken.
        begin = try PreparedStatement(db, "BEGIN IMMEDIATE")
        commit = try PreparedStatement(db, "COMMIT")
        rollback = try PreparedStatement(db, "ROLLBACK")
        savepoint = try PreparedStatement(db, "SAVEPOINT change")
        rollbackToSavepoint = try PreparedStatement(db, "ROLLBACK TO change")
        release = try PreparedStatement(db, "RELEASE change")
        findTopic = try PreparedStatement(db, "SELECT id, \(Schema.isThere) FROM topic WHERE name = ?1")
        insertTopic = try PreparedStatement(
            db,
            """
            INSERT INTO topic (name, removed, removal) SELECT ?1, forgotten, forgotten_removal FROM log RETURNING id
            """
        )
        insertEvent = try PreparedStatement(
            db,
            """
            INSERT INTO event (seq, topic, time, type, content_type, attributes, data)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """
        )
        insertAttempted = try PreparedStatement(
            db,
            """
            INSERT INTO delivery
                (observer, event, state, attempts, not_before, status, failure, attempted_at, settled_at, logged)
            SELECT ?1, seq, ?2, ?3, ?4, ?5, ?6, ?7, CASE ?2 WHEN \(Schema.pending) THEN NULL ELSE ?7 END, 1
            FROM event CROSS JOIN topic ON topic.id = event.topic WHERE seq = ?8 AND seq > removed RETURNING id
            """
        )
        noteTime = try PreparedStatement(db, "UPDATE log SET time = ?1, time_of_day = ?2")
        findDelivery = try PreparedStatement(
            db,
            """
            SELECT id, state, renewals, attempts, logged FROM delivery INDEXED BY delivery_event
            WHERE event = ?2 AND observer = ?1
            """
        )
        settleDelivery = try PreparedStatement(
            db,
            """
            UPDATE delivery SET state = ?2, attempts = ?3, not_before = ifnull(?4, not_before), status = ?5,
                failure = ?6, attempted_at = ?7, settled_at = CASE ?2 WHEN \(Schema.pending) THEN NULL ELSE ?7 END,
                logged = logged + 1 WHERE id = ?1
            """
        )
        noteAttempt = try PreparedStatement(
            db,
            """
            UPDATE delivery SET attempts = ?2, status = ?3, attempted_at = ?4,
                failure = CASE state WHEN \(Schema.dead) THEN failure ELSE ?5 END, logged = logged + 1
            WHERE id = ?1
            """
        )
        insertAttempt = try PreparedStatement(
            db,
            """
            INSERT OR REPLACE INTO attempt
                (id, number, ended_at, duration, connected, secured, answered, status, failure, message, response)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """
        )
        countOutcomes = try PreparedStatement(
            db,
            """
            UPDATE delivery_stats SET delivered = delivered + ?2, failed = failed + ?3, dead = dead + ?4,
                pending = pending + ?9, last_status = ?5, last_failure = ?6, last_attempt_at = ?7,
                failing_since = CASE WHEN ?2 > 0 THEN ?8 ELSE ifnull(failing_since, ?8) END,
                failing_for = CASE WHEN ?2 > 0 THEN ?10 ELSE failing_for + ?10 END
            WHERE observer = ?1
            RETURNING failing_for
            """
        )
        newestOfTopic = try PreparedStatement(
            db,
            """
            SELECT event.seq FROM topic, event INDEXED BY event_topic
            WHERE topic.id = ?1 AND event.topic = topic.id AND event.seq > topic.removed
            ORDER BY event.seq DESC LIMIT 1
            """
        )
        findKey = try PreparedStatement(
            db,
            """
            SELECT fingerprint, event, time FROM idempotency
            WHERE topic = ?1 AND key = ?2 AND used_at > ?3 AND event > (SELECT deleted FROM topic WHERE id = ?1)
            """
        )
        insertKey = try PreparedStatement(
            db,
            """
            INSERT OR IGNORE INTO idempotency (topic, key, fingerprint, event, time, used_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING 1
            """
        )
        replaceKey = try PreparedStatement(
            db,
            """
            UPDATE idempotency SET fingerprint = ?3, event = ?4, time = ?5, used_at = ?6 WHERE topic = ?1 AND key = ?2
            """
        )
    }
}
