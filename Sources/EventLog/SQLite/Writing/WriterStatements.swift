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
    let noteTime: PreparedStatement
    let newestOfTopic: PreparedStatement
    let deliveries: DeliveryRows
    let keys: IdempotencyRows

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
        noteTime = try PreparedStatement(db, "UPDATE log SET time = ?1, time_of_day = ?2")
        deliveries = try DeliveryRows(db)
        keys = try IdempotencyRows(db)
        newestOfTopic = try PreparedStatement(
            db,
            """
            SELECT event.seq FROM topic, event INDEXED BY event_topic
            WHERE topic.id = ?1 AND event.topic = topic.id AND event.seq > topic.removed
            ORDER BY event.seq DESC LIMIT 1
            """
        )
    }
}
