internal import GRDB

/// The tables of a log, and how they came to be.
///
/// - `log`: one row: who the log is, and what must never be used twice.
/// - `topic`: the number of each name, so that events carry eight bytes of it at most.
/// - `event`: `seq` is the position. The index by topic ends in it, as every index does in the row id, so it also serves
///   a topic's history in order. No unique index of random text: it would cost a factor of ten.
/// - `observer`: `name` is the observer's id; null while its deliveries are being deleted. `topics` and `types` are
///   lines, because neither may contain a line break.
/// - `delivery`: one row for each event and observer. `state` is 0 pending, 1 delivered, 2 dead.
/// - `delivery_stats`: kept apart from `observer` so that counting does not write the document again.
enum Schema {
    /// `CLRN`, in the file's header.
    static let applicationID: UInt32 = 0x434C_524E

    static let pending: Int64 = 0
    static let delivered: Int64 = 1
    static let dead: Int64 = 2

    /// Every migration there ever was; what is published is never edited.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: events, observers, deliveries") { db in
            try db.execute(sql: first)
            try db.execute(
                sql: "INSERT INTO log (id, epoch, high_water, revision) VALUES (1, ?, 0, 0)",
                arguments: [LogEpoch.random().description]
            )
        }
        return migrator
    }

    private static let first = """
        CREATE TABLE log (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch TEXT NOT NULL,
            high_water INTEGER NOT NULL,
            revision INTEGER NOT NULL
        );
        CREATE TABLE topic (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE event (
            seq INTEGER PRIMARY KEY,
            topic INTEGER NOT NULL,
            time INTEGER NOT NULL,
            type TEXT,
            content_type TEXT,
            attributes BLOB,
            data BLOB NOT NULL
        );
        CREATE INDEX event_topic ON event (topic);
        -- Positions are never used twice: whoever deletes the newest event leaves its position behind.
        CREATE TRIGGER event_deleted AFTER DELETE ON event
        WHEN OLD.seq > (SELECT max(high_water, ifnull((SELECT max(seq) FROM event), 0)) FROM log)
        BEGIN
            UPDATE log SET high_water = OLD.seq;
        END;
        CREATE TABLE observer (
            key INTEGER PRIMARY KEY,
            name TEXT UNIQUE,
            topics TEXT NOT NULL,
            types TEXT NOT NULL,
            receives INTEGER NOT NULL,
            document BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            revision INTEGER NOT NULL
        );
        CREATE TABLE delivery (
            id INTEGER PRIMARY KEY,
            observer INTEGER NOT NULL,
            event INTEGER NOT NULL,
            state INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            not_before INTEGER NOT NULL,
            status INTEGER,
            failure TEXT,
            attempted_at INTEGER
        );
        CREATE INDEX delivery_state ON delivery (observer, state, event);
        CREATE INDEX delivery_due ON delivery (observer, not_before, event) WHERE state = 0;
        CREATE TABLE delivery_stats (
            observer INTEGER PRIMARY KEY,
            delivered INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0,
            pending INTEGER NOT NULL DEFAULT 0,
            dead INTEGER NOT NULL DEFAULT 0,
            last_status INTEGER,
            last_attempt_at INTEGER
        );
        """
}
