internal import GRDB

/// Goes through the tables of a log and notes what does not belong together.
struct LogInspection {
    let db: Database
    var report: LogReport

    /// How many findings of one kind are written out.
    private static let limit = 10

    /// - Throws: ``EventLogError`` with code `log-foreign`.
    mutating func run() throws {
        report.currentVersion = SchemaVersion.current
        // First: where the file is damaged, it may be that nothing else can be read.
        attempt("the file") { try $0.checkPages() }
        var foreign: EventLogError?
        attempt("the version") { inspection in
            do {
                inspection.report.version = try SchemaVersion.version(of: inspection.db)
            } catch let error as EventLogError {
                foreign = error
            }
        }
        if let foreign { throw foreign }
        attempt("the schema") { try $0.checkSchema() }
        attempt("the log's row") { try $0.checkLog() }
        attempt("the events") { try $0.checkEvents() }
        attempt("the observers") { try $0.checkObservers() }
        attempt("the deliveries") { try $0.checkDeliveries() }
        guard report.version == report.currentVersion else { return }
        attempt("the topics") { try $0.checkTopics() }
        attempt("the idempotency keys") { try $0.checkKeys() }
    }

    private mutating func attempt(_ part: String, _ check: (inout LogInspection) throws -> Void) {
        do {
            try check(&self)
        } catch {
            report.findings.append("\(part) cannot be read: \("\(error)".inOneLine)")
        }
    }

    /// Notes a finding for each row of a query, which answers texts.
    mutating func note(_ sql: String) throws {
        try note(PreparedStatement(db, sql))
    }

    private mutating func note(_ statement: PreparedStatement, as linesOfRow: (String) -> [String] = { [$0.inOneLine] })
        throws
    {
        var findings: [String] = []
        var count = 0
        // Also if it fails in the middle: that is what it does where the file is damaged.
        defer {
            report.findings += findings
            if count > Self.limit { report.findings.append("… and \(count - Self.limit) more like it") }
        }
        try statement.forEach { row in
            let lines = linesOfRow(row.text(0))
            findings += lines.prefix(max(Self.limit - count, 0))
            count += lines.count
        }
    }

    /// The number that a query answers.
    func number(_ sql: String) throws -> Int64 {
        try PreparedStatement(db, sql).first { $0.integer(0) } ?? 0
    }

    private mutating func checkPages() throws {
        // A row may be several lines, of which the first is a title.
        try note(PreparedStatement(db, "PRAGMA integrity_check")) { row in
            row.split(whereSeparator: \.isNewline).filter { $0 != "ok" && !$0.hasPrefix("***") }.map {
                "the file is damaged: \($0)"
            }
        }
    }

    private mutating func checkSchema() throws {
        let comparison = try SchemaComparison(db, version: report.version)
        report.findings += comparison.missing.map { "the \($0) is missing" }
        report.findings += comparison.foreign.map { "the \($0) is not as this program makes it" }
    }

    private mutating func checkLog() throws {
        if let text = try PreparedStatement(db, "SELECT epoch FROM log").first({ $0.text(0) }) {
            report.epoch = LogEpoch(text)
        }
        if report.epoch == nil { report.findings.append("the log does not say who it is") }
        report.tail = Position(try EventReader.tail(db))
    }

    private mutating func checkObservers() throws {
        report.observers = try number("SELECT count(*) FROM observer WHERE name IS NOT NULL")
        let highest = try number("SELECT revision FROM log")
        let isReadable = """
            typeof(name) = 'text' AND typeof(topics) = 'text' AND typeof(types) = 'text' AND typeof(document) = 'blob'
                AND typeof(receives) = 'integer' AND typeof(created_at) = 'integer' AND typeof(revision) = 'integer'
            """
        try note(
            "SELECT 'observer ' || name || ' cannot be read' FROM observer WHERE name IS NOT NULL AND NOT (\(isReadable))"
        )
        for row in try Row.fetchAll(db, sql: "SELECT * FROM observer WHERE \(isReadable)") {
            let record = ObserverRecord(row)
            if record.revision > highest {
                report.findings.append("observer \(record.id) has a revision that was not given yet")
            }
            for pattern in record.topics where (try? TopicPattern(pattern.text)) == nil {
                report.findings.append("observer \(record.id) is registered for \"\(pattern)\", which is no pattern")
            }
        }
        try note(
            """
            SELECT 'observer ' || name || ' has no counters' FROM observer
            WHERE name IS NOT NULL AND key NOT IN (SELECT observer FROM delivery_stats)
            """
        )
        guard report.version == report.currentVersion else { return }
        try note(
            """
            SELECT 'observer ' || name || ' has come to position ' || cursor || ', which was never posted'
            FROM observer JOIN delivery_stats ON delivery_stats.observer = key WHERE cursor > \(report.tail)
            """
        )
        try note(
            """
            SELECT 'observer ' || name || ' does not say what it wants' FROM observer
            WHERE name IS NOT NULL AND key NOT IN (SELECT observer FROM interest)
            """
        )
    }

    private mutating func checkDeliveries() throws {
        report.deliveries = try number("SELECT count(*) FROM delivery")
        if report.version == report.currentVersion, let epoch = report.epoch {
            var reader = EventReader(db, epoch: epoch)
            report.deliveries += Int64(try reader.countUntried())
        }
        try note(
            "SELECT 'delivery ' || id || ' is of no event' FROM delivery WHERE event NOT IN (SELECT seq FROM event)"
        )
        try note(
            "SELECT 'delivery ' || id || ' is for no observer' FROM delivery WHERE observer NOT IN (SELECT key FROM observer)"
        )
        try note("SELECT 'delivery ' || id || ' is in no known state' FROM delivery WHERE state NOT IN (-1, 0, 1, 2)")
        try note(
            """
            SELECT 'event ' || event || ' is delivered ' || count(*) || ' times to observer ' || observer
            FROM delivery GROUP BY observer, event HAVING count(*) > 1
            """
        )
        // Deliveries that are done go with their events, and the counters stay; those of observers that were taken out are
        // being deleted.
        try note(
            """
            WITH found AS (
                SELECT observer, sum(state <= 0) AS pending, sum(state = 1) AS delivered, sum(state = 2) AS dead
                FROM delivery GROUP BY observer
            )
            SELECT 'observer ' || name || ' counts ' || stats.pending || ' pending, ' || stats.delivered ||
                ' delivered and ' || stats.dead || ' dead deliveries, but has ' || ifnull(found.pending, 0) || ', ' ||
                ifnull(found.delivered, 0) || ' and ' || ifnull(found.dead, 0)
            FROM observer JOIN delivery_stats AS stats ON stats.observer = key LEFT JOIN found ON found.observer = key
            WHERE name IS NOT NULL AND (stats.pending != ifnull(found.pending, 0)
                OR stats.delivered < ifnull(found.delivered, 0) OR stats.dead < ifnull(found.dead, 0))
            """
        )
    }

    private mutating func checkKeys() throws {
        report.keys = try number("SELECT count(*) FROM idempotency")
        try note(
            "SELECT 'the log notes ' || held_keys || ' idempotency keys' FROM log WHERE held_keys != \(report.keys)"
        )
        try note(
            """
            SELECT 'idempotency key "' || key || '" is of no topic' FROM idempotency
            WHERE topic NOT IN (SELECT id FROM topic)
            """
        )
        try note(
            """
            SELECT 'idempotency key "' || key || '" is of event ' || event || ', which was never posted' FROM idempotency
            WHERE event < 1 OR event > \(report.tail)
            """
        )
    }
}
