/// The tables of the version before, as it made them.
enum EarlierSchema {
    static let tables = """
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES
            ('1: events, observers, deliveries'), ('2: topics, retention, idempotency'), ('3: removals in order'),
            ('4: counters that lag behind'), ('5: attempts'), ('6: recent deliveries'), ('7: deferred deliveries'),
            ('8: the log''s time'), ('9: topics that are gone'), ('10: how much is held');
        CREATE TABLE log (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch TEXT NOT NULL,
            high_water INTEGER NOT NULL,
            revision INTEGER NOT NULL
        , removed INTEGER NOT NULL DEFAULT 0, removals INTEGER NOT NULL DEFAULT 0, counted INTEGER NOT NULL DEFAULT 0,
            fanned_out INTEGER NOT NULL DEFAULT 0, time INTEGER NOT NULL DEFAULT 0,
            time_of_day INTEGER NOT NULL DEFAULT 0, forgotten INTEGER NOT NULL DEFAULT 0,
            forgotten_removal INTEGER NOT NULL DEFAULT 0, held_topics INTEGER, held_keys INTEGER);
        CREATE TABLE topic (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, events INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0, last INTEGER NOT NULL DEFAULT 0, removed INTEGER NOT NULL DEFAULT 0,
            is_purged INTEGER NOT NULL DEFAULT 1, retain_events INTEGER, retain_age INTEGER, retain_bytes INTEGER,
            removal INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0);
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
        , created_at INTEGER, settled_at INTEGER, logged INTEGER NOT NULL DEFAULT 0, renewals INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE delivery_stats (
            observer INTEGER PRIMARY KEY,
            delivered INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0,
            pending INTEGER NOT NULL DEFAULT 0,
            dead INTEGER NOT NULL DEFAULT 0,
            last_status INTEGER,
            last_attempt_at INTEGER
        , last_failure TEXT, failing_since INTEGER, failing_for INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX topic_unpurged ON topic (id) WHERE is_purged = 0;
        CREATE TABLE idempotency (
            topic INTEGER NOT NULL,
            key TEXT NOT NULL,
            fingerprint BLOB NOT NULL,
            event INTEGER NOT NULL,
            time INTEGER NOT NULL, used_at INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (topic, key)
        ) WITHOUT ROWID;
        CREATE INDEX delivery_event ON delivery (event);
        CREATE INDEX topic_removal ON topic (removal) WHERE removed > 0;
        CREATE INDEX delivery_settled ON delivery (state, settled_at) WHERE state > 0;
        CREATE TABLE attempt (
            id INTEGER PRIMARY KEY,
            number INTEGER NOT NULL,
            ended_at INTEGER NOT NULL,
            duration INTEGER NOT NULL,
            connected INTEGER,
            secured INTEGER,
            answered INTEGER,
            status INTEGER,
            failure TEXT,
            message TEXT,
            response BLOB
        );
        CREATE TRIGGER delivery_deleted AFTER DELETE ON delivery
        BEGIN
            DELETE FROM attempt WHERE id BETWEEN OLD.id * 32 AND OLD.id * 32 + 31;
            UPDATE delivery_stats SET dead = dead - 1 WHERE OLD.state = 2 AND observer = OLD.observer;
        END;
        CREATE INDEX delivery_state ON delivery (observer, state, event);
        CREATE INDEX delivery_due ON delivery (observer, not_before, event) WHERE state = 0;
        CREATE INDEX idempotency_used ON idempotency (used_at);
        CREATE INDEX topic_gone ON topic (removal) WHERE events = 0 AND is_purged = 1 AND retain_events IS NULL
            AND retain_age IS NULL AND retain_bytes IS NULL;
        """
}
