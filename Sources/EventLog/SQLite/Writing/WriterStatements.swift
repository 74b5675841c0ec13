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
    let insertDelivery: PreparedStatement
    let countPending: PreparedStatement
    let findDelivery: PreparedStatement
    let settleDelivery: PreparedStatement
    let countOutcomes: PreparedStatement

    init(_ db: Database) throws {
        // The write lock is taken at once, so that no later statement can find it taken.
        begin = try PreparedStatement(db, "BEGIN IMMEDIATE")
        commit = try PreparedStatement(db, "COMMIT")
        rollback = try PreparedStatement(db, "ROLLBACK")
        savepoint = try PreparedStatement(db, "SAVEPOINT change")
        rollbackToSavepoint = try PreparedStatement(db, "ROLLBACK TO change")
        release = try PreparedStatement(db, "RELEASE change")
        findTopic = try PreparedStatement(db, "SELECT id FROM topic WHERE name = ?1")
        insertTopic = try PreparedStatement(db, "INSERT INTO topic (name) VALUES (?1) RETURNING id")
        insertEvent = try PreparedStatement(
            db,
            """
            INSERT INTO event (seq, topic, time, type, content_type, attributes, data)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """
        )
        insertDelivery = try PreparedStatement(
            db,
            """
            INSERT INTO delivery (id, observer, event, state, attempts, not_before)
            VALUES (?1, ?2, ?3, \(Schema.pending), 0, ?4)
            """
        )
        countPending = try PreparedStatement(
            db,
            "UPDATE delivery_stats SET pending = pending + ?2 WHERE observer = ?1"
        )
        findDelivery = try PreparedStatement(
            db,
            "SELECT observer FROM delivery WHERE id = ?1 AND state = \(Schema.pending)"
        )
        settleDelivery = try PreparedStatement(
            db,
            """
            UPDATE delivery SET state = ?2, attempts = ?3, not_before = ifnull(?4, not_before), status = ?5,
                failure = ?6, attempted_at = ?7 WHERE id = ?1
            """
        )
        countOutcomes = try PreparedStatement(
            db,
            """
            UPDATE delivery_stats SET delivered = delivered + ?2, failed = failed + ?3, dead = dead + ?4,
                pending = pending - ?2 - ?4, last_status = ?5, last_attempt_at = ?6 WHERE observer = ?1
            """
        )
    }
}
