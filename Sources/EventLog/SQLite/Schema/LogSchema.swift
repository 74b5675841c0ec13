internal import GRDB

/// The tables of a log.
///
/// - `log`: one row: who the log is, and what must never be used twice. `time` and `time_of_day` are what ``LogClock`` and
///   the clock of the day said at one moment. `not_before` and `used_at` are by the former, all other times by the latter.
/// - `topic`: the number of each name, so that events carry eight bytes of it at most; what it holds, in `events`,
///   `bytes` and `last`; its bounds. Events up to `removed` are gone for every reader, also those whose rows are still to
///   be deleted, which `is_purged` says. `log.removed` is the greatest `removed` of all. `log.removals` counts removals,
///   and `removal` is the number of a topic's last one: whether more has gone since a reader was sent a gap. `deleted` is what
///   `removed` was when the topic was deleted last, in a copy at least up to where that went: idempotency keys of events up to there
///   count no more. What a topic
///   holds is counted up to `log.counted`; what came after is counted when it is asked for, and when the log is opened.
///   Of topics that have nothing any more the rows of the last thousand or so stay. Those of the others are deleted:
///   `log.forgotten` is the greatest `removed` that any had, and `log.forgotten_removal` their newest removal. A name
///   without a row may have lost events up to there, and begins with that when it is used. `log.held_topics` is how many
///   have events or bounds, and `log.held_keys` how many rows `idempotency` has, both as the log was closed; null from the
///   first change on until it is closed again.
/// - `event`: `seq` is the position. The index by topic ends in it, as every index does in the row id, so it also serves
///   a topic's history in order. No unique index of random text: it would cost a factor of ten.
/// - `idempotency`: the keys of the last 24 hours, and what was posted under them when: `time` is the event's.
/// - `observer`: `name` is the observer's id; null while its deliveries are being deleted. `topics` and `types` are
///   lines, because neither may contain a line break.
/// - `interest`: what an observer wanted from when on: of events after `since`, until its next row. Lines, as in
///   `observer`; no topics if it wanted nothing. Rows that the observer's cursor has passed are deleted.
/// - `delivery`: outcomes and exceptions, one row for an event and an observer at most. An event after the observer's
///   cursor that it was to get and that has no row was never tried: see ``Subscription``. `state` is 0 pending, 1
///   delivered, 2 dead; `settled_at` is since when, unless it is pending. `created_at` is null if it came with its event.
///   `renewals` counts how often it was renewed: what comes of an attempt from before does not settle it. `logged` counts
///   all its attempts, also those from before, which `attempts` does not.
/// - `attempt`: how the last attempts of each delivery went: `id` is the delivery's times ``attemptsPerDelivery`` plus
///   the attempt's place in a ring of so many, so that they lie together, without an index, and never become more.
/// - `delivery_stats`: kept apart from `observer` so that counting does not write the document again. `pending` counts
///   rows. `cursor` is a position: every event up to it that the observer was to get has a row, or had one. `failing_since` is
///   when the first attempt failed after the last one that did not, null if none did, and `failing_for` how long its
///   deliveries were being attempted since, in milliseconds.
/// - `restoration`: one row, of a log that was a copy once: see ``Restoration``. Logs that were none have no such
///   table.
enum LogSchema {
    /// `CLRN`, in the file's header.
    static let applicationID: UInt32 = 0x434C_524E

    static let pending: Int64 = 0
    static let delivered: Int64 = 1
    static let dead: Int64 = 2

    /// How many attempts of a delivery are kept; part of what is stored, so it cannot be changed.
    static let attemptsPerDelivery: Int64 = 32

    /// Of a topic that has nothing any more, unless something was added that is not counted yet.
    static let isGone = """
        events = 0 AND is_purged = 1 AND retain_events IS NULL AND retain_age IS NULL AND retain_bytes IS NULL
        """

    /// Of a topic that has events which are counted, or bounds.
    static let isThere = "(events > 0 OR \(isBounded))"

    /// Whether a topic has bounds of its own.
    static let isBounded = "coalesce(retain_events, retain_age, retain_bytes) IS NOT NULL"

    /// Makes the tables that are not there.
    static func make(_ db: Database) throws {
        for statements in [logAndTopics, events, observers, deliveries] { try db.execute(sql: statements) }
    }

    private static let logAndTopics = """
        CREATE TABLE log (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch TEXT NOT NULL,
            high_water INTEGER NOT NULL DEFAULT 0,
            revision INTEGER NOT NULL DEFAULT 0,
            removed INTEGER NOT NULL DEFAULT 0,
            removals INTEGER NOT NULL DEFAULT 0,
            counted INTEGER NOT NULL DEFAULT 0,
            forgotten INTEGER NOT NULL DEFAULT 0,
            forgotten_removal INTEGER NOT NULL DEFAULT 0,
            time INTEGER NOT NULL DEFAULT 0,
            time_of_day INTEGER NOT NULL DEFAULT 0,
            held_topics INTEGER,
            held_keys INTEGER
        );
        CREATE TABLE topic (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            events INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0,
            last INTEGER NOT NULL DEFAULT 0,
            removed INTEGER NOT NULL DEFAULT 0,
            removal INTEGER NOT NULL DEFAULT 0,
            deleted INTEGER NOT NULL DEFAULT 0,
            is_purged INTEGER NOT NULL DEFAULT 1,
            retain_events INTEGER,
            retain_age INTEGER,
            retain_bytes INTEGER
        );
        CREATE INDEX topic_unpurged ON topic (id) WHERE is_purged = 0;
        CREATE INDEX topic_removal ON topic (removal) WHERE removed > 0;
        CREATE INDEX topic_gone ON topic (removal) WHERE \(isGone);
        CREATE TABLE idempotency (
            topic INTEGER NOT NULL,
            key TEXT NOT NULL,
            fingerprint BLOB NOT NULL,
            event INTEGER NOT NULL,
            time INTEGER NOT NULL,
            used_at INTEGER NOT NULL,
            PRIMARY KEY (topic, key)
        ) WITHOUT ROWID;
        CREATE INDEX idempotency_used ON idempotency (used_at);
        """

    private static let events = """
        CREATE TABLE IF NOT EXISTS event (
            seq INTEGER PRIMARY KEY,
            topic INTEGER NOT NULL,
            time INTEGER NOT NULL,
            type TEXT,
            content_type TEXT,
            attributes BLOB,
            data BLOB NOT NULL
        );
        CREATE INDEX IF NOT EXISTS event_topic ON event (topic);
        -- Positions are never used twice: whoever deletes the newest event leaves its position behind.
        CREATE TRIGGER event_deleted AFTER DELETE ON event
        WHEN OLD.seq > (SELECT max(high_water, ifnull((SELECT max(seq) FROM event), 0)) FROM log)
        BEGIN
            UPDATE log SET high_water = OLD.seq;
        END;
        """

    private static let observers = """
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
        CREATE TABLE interest (
            observer INTEGER NOT NULL,
            since INTEGER NOT NULL,
            topics TEXT NOT NULL,
            types TEXT NOT NULL,
            PRIMARY KEY (observer, since)
        ) WITHOUT ROWID;
        CREATE TABLE delivery_stats (
            observer INTEGER PRIMARY KEY,
            cursor INTEGER NOT NULL,
            delivered INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0,
            pending INTEGER NOT NULL DEFAULT 0,
            dead INTEGER NOT NULL DEFAULT 0,
            last_status INTEGER,
            last_failure TEXT,
            last_attempt_at INTEGER,
            failing_since INTEGER,
            failing_for INTEGER NOT NULL DEFAULT 0
        );
        """

    private static let deliveries = """
        CREATE TABLE delivery (
            id INTEGER PRIMARY KEY,
            observer INTEGER NOT NULL,
            event INTEGER NOT NULL,
            state INTEGER NOT NULL,
            renewals INTEGER NOT NULL DEFAULT 0,
            attempts INTEGER NOT NULL,
            not_before INTEGER NOT NULL,
            status INTEGER,
            failure TEXT,
            created_at INTEGER,
            attempted_at INTEGER,
            settled_at INTEGER,
            logged INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX delivery_event ON delivery (event, observer);
        CREATE INDEX delivery_state ON delivery (observer, state, event);
        CREATE INDEX delivery_due ON delivery (observer, not_before, event) WHERE state = \(pending);
        CREATE INDEX delivery_settled ON delivery (state, settled_at) WHERE state > \(pending);
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
        -- Whoever deletes deliveries, with their events or otherwise, leaves nothing of them behind.
        CREATE TRIGGER delivery_deleted AFTER DELETE ON delivery
        BEGIN
            DELETE FROM attempt WHERE id BETWEEN OLD.id * \(attemptsPerDelivery)
                AND OLD.id * \(attemptsPerDelivery) + \(attemptsPerDelivery) - 1;
            UPDATE delivery_stats SET dead = dead - 1 WHERE OLD.state = \(dead) AND observer = OLD.observer;
        END;
        """
}
