extension LogInspection {
    /// Reads every event as a reader would.
    mutating func checkEvents() throws {
        try note { [db] faults in
            try db.cached("SELECT id, CAST(name AS BLOB) FROM topic").forEach { row in
                guard (try? Topic(utf8: row[1] as [UInt8])) == nil else { return }
                faults.add("topic number \(row.integer(0)) has an illegal name")
            }
        }
        var before: (position: Int64, time: Timestamp)?
        try note { [db] faults in
            try db.cached(
                """
                SELECT seq, topic IN (SELECT id FROM topic), typeof(data) = 'blob',
                    typeof(type) IN ('text', 'null') AND typeof(content_type) IN ('text', 'null'),
                    typeof(time) = 'integer', time, type, content_type,
                    ifnull(type, '') || ifnull(content_type, '') NOT GLOB '*[' || char(10, 13) || ']*',
                    attributes IS NULL OR json_valid(CAST(attributes AS TEXT)) FROM event ORDER BY seq
                """
            ).forEach { row in
                func expect(_ holds: Bool, _ fault: String) {
                    if !holds { faults.add("event \(row.integer(0)) \(fault)") }
                }
                expect(row.integer(0) >= 1, "is before the first position")
                expect(row[1], "is on a topic without a name")
                expect(row[2], "has data that are no bytes")
                expect(row[3], "has a type or content type that is no text")
                for column: Int32 in [6, 7] {
                    let isText = String(validating: row[column] as [UInt8], as: UTF8.self) != nil
                    expect(isText, "has a type or content type that is not UTF-8")
                }
                expect(row[8], "has a type or content type of several lines")
                expect(row[9], "has attributes that are no JSON")
                // The log's time follows the clock back by more than a minute only: TimeWriter.begin. If an event between two is
                // gone, it may have followed there, and gone on.
                let (position, time) = (row.integer(0), Timestamp(milliseconds: row.integer(5)))
                var back: Int64 = 0
                if let before, before.position == position - 1 { back = before.time.milliseconds - time.milliseconds }
                let isBack = (1...TimeWriter.heldStep).contains(back)
                expect(row[4] && !isBack, "has a time that is before that of the event before")
                before = (position, time)
            }
        }
    }

    /// Whether topics hold what they say, up to the position to which they count, and nothing that is gone.
    mutating func checkTopics() throws {
        try db.cached(
            """
            SELECT count(*), ifnull(sum(length(data)), 0), count(DISTINCT topic)
            FROM event JOIN topic ON topic.id = event.topic WHERE seq > topic.removed
            """
        ).forEach { (report.events, report.bytes, report.topics) = ($0[0], $0[1], $0[2]) }
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
            """,
            """
            SELECT 'topic "' || name || '" has a bound that nobody can have set' FROM topic
            WHERE retain_events NOT BETWEEN \(Retention.eventBounds.lowerBound) AND \(Retention.eventBounds.upperBound)
                OR retain_age NOT BETWEEN \(Retention.ageBounds.lowerBound) AND \(Retention.ageBounds.upperBound)
                OR retain_bytes NOT BETWEEN \(Retention.byteBounds.lowerBound) AND \(Retention.byteBounds.upperBound)
            """,
            """
            SELECT 'topic "' || name || '" has rows of events that are gone' FROM topic
            WHERE is_purged AND EXISTS (SELECT 1 FROM event WHERE event.topic = topic.id AND seq <= topic.removed)
            """,
            """
            SELECT 'topic "' || name || '" says that events are gone that were never posted' FROM topic, log
            WHERE topic.removed > log.removed OR topic.removal > log.removals OR topic.deleted > topic.removed
                OR max(topic.last, topic.removed) > \(report.tail)
            """,
            """
            SELECT 'topics are forgotten that lost events that were never posted' FROM log
            WHERE forgotten > removed OR forgotten_removal > removals
            """,
            """
            SELECT 'the log notes ' || held_topics || ' topics, but has ' || found FROM log,
                (SELECT count(*) AS found FROM topic WHERE \(LogSchema.isThere))
            WHERE held_topics != found
            """,
            "SELECT 'topics are counted up to a position that was not reached' FROM log WHERE counted > \(report.tail)"
        )
    }
}
