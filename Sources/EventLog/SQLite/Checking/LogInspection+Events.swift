internal import GRDB

extension LogInspection {
    /// Reads every event as a reader would.
    mutating func checkEvents() throws {
        try checkNames()
        var known: [Int64: Bool] = [:]
        var time = Int64.min
        var faults = Faults()
        let isNamed = try PreparedStatement(db, "SELECT 1 FROM topic WHERE id = ?1")
        let events = try PreparedStatement(
            db,
            """
            SELECT \(EventReader.columns), typeof(data), typeof(time), ifnull(typeof(type), 'null'),
                ifnull(typeof(content_type), 'null') FROM event ORDER BY seq
            """
        )
        try events.forEach { row in
            let position = row.integer(0)
            let topic = row.integer(1)
            if known[topic] == nil {
                isNamed.bind(topic, at: 1)
                known[topic] = try isNamed.first { _ in true } ?? false
            }
            if position < 1 { faults.add("event \(position) is before the first position") }
            if known[topic] != true { faults.add("event \(position) is on a topic without a name") }
            if row.text(7) != "blob" { faults.add("event \(position) has data that are no bytes") }
            for column: Int32 in [9, 10] where !["text", "null"].contains(row.text(column)) {
                faults.add("event \(position) has a type or content type that is no text")
            }
            for column: Int32 in [3, 4] where String(validating: row.bytes(column), as: UTF8.self) == nil {
                faults.add("event \(position) has a type or content type that is not UTF-8")
            }
            // The log's time follows the clock back by more than a minute only: LogWriter.nextTime.
            let back = time == .min ? 0 : time - row.integer(2)
            if row.text(8) != "integer" || (1...60_000).contains(back) {
                faults.add("event \(position) has a time that is before that of the event before")
            }
            time = row.integer(2)
        }
        report.findings += faults.lines
    }

    /// Whether topics hold what they say, up to the position to which they count, and nothing that is gone.
    mutating func checkTopics() throws {
        report.events = try number(
            "SELECT count(*) FROM event JOIN topic ON topic.id = event.topic WHERE seq > topic.removed"
        )
        report.bytes = try number(
            "SELECT sum(length(data)) FROM event JOIN topic ON topic.id = event.topic WHERE seq > topic.removed"
        )
        report.topics = try number(
            """
            SELECT count(*) FROM topic WHERE EXISTS (
                SELECT 1 FROM event WHERE event.topic = topic.id AND event.seq > topic.removed
            )
            """
        )
        try note(
            """
            WITH found AS (
                SELECT topic.id AS id, count(seq) AS events, ifnull(sum(length(data)), 0) AS bytes, max(seq) AS last
                FROM topic LEFT JOIN event
                    ON event.topic = topic.id AND seq > topic.removed AND seq <= (SELECT counted FROM log)
                GROUP BY topic.id
            )
            SELECT 'topic "' || name || '" counts ' || topic.events || ' events of ' || topic.bytes ||
                ' bytes up to ' || topic.last || ', but has ' || found.events || ' of ' || found.bytes ||
                ' up to ' || ifnull(found.last, topic.removed)
            FROM topic JOIN found USING (id)
            WHERE topic.events != found.events OR topic.bytes != found.bytes
                OR (found.events > 0 AND topic.last != found.last)
            """
        )
        try note(
            """
            SELECT 'topic "' || name || '" has rows of events that are gone' FROM topic
            WHERE is_purged AND EXISTS (SELECT 1 FROM event WHERE event.topic = topic.id AND seq <= topic.removed)
            """
        )
        try note(
            """
            SELECT 'topic "' || name || '" says that events are gone that were never posted' FROM topic, log
            WHERE topic.removed > log.removed OR topic.removal > log.removals OR topic.deleted > topic.removed
                OR max(topic.last, topic.removed) > \(report.tail)
            """
        )
        try note(
            """
            SELECT 'topics are forgotten that lost events that were never posted' FROM log
            WHERE forgotten > removed OR forgotten_removal > removals
            """
        )
        try note(
            """
            SELECT 'the log notes ' || held_topics || ' topics, but has ' || found FROM log,
                (SELECT count(*) AS found FROM topic WHERE \(Schema.isThere))
            WHERE held_topics != found
            """
        )
        try note(
            "SELECT 'topics are counted up to a position that was not reached' FROM log WHERE counted > \(report.tail)"
        )
    }

    private mutating func checkNames() throws {
        var faults = Faults()
        try PreparedStatement(db, "SELECT id, CAST(name AS BLOB) FROM topic").forEach { row in
            do {
                _ = try Topic(utf8: row.bytes(1))
            } catch {
                faults.add("topic number \(row.integer(0)) has an illegal name")
            }
        }
        report.findings += faults.lines
        report.events = try number("SELECT count(*) FROM event")
        report.bytes = try number("SELECT sum(length(data)) FROM event")
        report.topics = try number("SELECT count(DISTINCT topic) FROM event")
    }
}

/// Findings of one pass, of which the first are written out.
private struct Faults {
    private var found: [String] = []
    private var more = 0

    mutating func add(_ fault: String) {
        if found.count < 10 { found.append(fault) } else { more += 1 }
    }

    var lines: [String] { more > 0 ? found + ["… and \(more) more like it"] : found }
}
