internal import GRDB

/// Goes through the tables of a log and notes what does not belong together.
struct LogInspection {
    let db: Database
    var report: LogReport

    /// - Throws: ``EventLogError`` with code `log-foreign`.
    mutating func run() throws {
        // First: where the file is damaged, it may be that nothing else can be read.
        try attempt("the file") { try $0.checkPages() }
        try attempt("the version") { $0.report.version = try SchemaVersion.version(of: $0.db) }
        try attempt("the schema") { try $0.checkSchema() }
        try attempt("the log's row") { try $0.checkLog() }
        try attempt("the numbers") { if $0.report.version == $0.report.currentVersion { try LogBounds.check($0.db) } }
        try attempt("the events") { try $0.checkEvents() }
        try attempt("the observers") { try $0.checkObservers() }
        try attempt("the deliveries") { try $0.checkDeliveries() }
        try attempt("the topics") { try $0.checkTopics() }
        try attempt("the idempotency keys") { try $0.checkKeys() }
    }

    private mutating func attempt(_ part: String, _ check: (inout LogInspection) throws -> Void) throws {
        do {
            try check(&self)
        } catch let error as EventLogError where error.code == .foreign {
            throw error
        } catch {
            report.findings.append("\(part) cannot be read: \("\(error)".inOneLine)")
        }
    }

    /// Notes what a body finds, also if it fails in the middle: that is what it does where the file is damaged.
    mutating func note(_ body: (inout Faults) throws -> Void) rethrows {
        var faults = Faults()
        defer { report.findings += faults.lines }
        try body(&faults)
    }

    /// Notes a finding for each row of some queries, which answer texts.
    mutating func note(_ queries: String...) throws {
        for sql in queries {
            try note { [db] faults in try db.cached(sql).forEach { faults.add(($0[0] as String).inOneLine) } }
        }
    }

    private mutating func checkPages() throws {
        try note { [db] faults in
            try db.cached("PRAGMA integrity_check").forEach { row in
                // A row may be several lines, of which the first is a title.
                for line in (row[0] as String).split(whereSeparator: \.isNewline)
                where line != "ok" && !line.hasPrefix("***") { faults.add("the file is damaged: \(line)") }
            }
        }
    }

    private mutating func checkSchema() throws {
        let comparison = try SchemaComparison(db, version: report.version)
        report.findings += comparison.missing.map { "the \($0) is missing" }
        report.findings += comparison.foreign.map { "the \($0) is not as this program makes it" }
    }

    private mutating func checkLog() throws {
        report.epoch = try db.cached("SELECT epoch FROM log").first { LogEpoch($0[0] as String) } ?? nil
        if report.epoch == nil { report.findings.append("the log does not say who it is") }
        report.tail = Position(try LogReader.tail(db))
        guard let restoration = try Restoration.last(db) else { return }
        let removals = try db.number("SELECT removals FROM log")
        if restoration.position > report.tail.rawValue || restoration.removal > removals {
            report.findings.append("the log says that it goes on where it has not come yet")
        }
    }

    private mutating func checkObservers() throws {
        report.observers = try db.number("SELECT count(*) FROM observer WHERE name IS NOT NULL")
        let highest = try db.number("SELECT revision FROM log")
        let isReadable = """
            typeof(name) = 'text' AND typeof(topics) = 'text' AND typeof(types) = 'text' AND typeof(document) = 'blob'
                AND typeof(receives) = 'integer' AND typeof(created_at) = 'integer' AND typeof(revision) = 'integer'
            """
        try note(
            "SELECT 'observer ' || name || ' cannot be read' FROM observer WHERE name IS NOT NULL AND NOT (\(isReadable))"
        )
        let readable = try db.cached("SELECT \(ObserverRecord.columns) FROM observer WHERE \(isReadable)")
        for record in try readable.map(ObserverRecord.init) {
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
            """,
            """
            SELECT 'observer ' || name || ' does not say what it wants' FROM observer
            WHERE name IS NOT NULL AND key NOT IN (SELECT observer FROM interest)
            """
        )
    }

    private mutating func checkDeliveries() throws {
        report.deliveries = try db.number("SELECT count(*) FROM delivery")
        if report.version == report.currentVersion, let epoch = report.epoch {
            var (reader, untried) = (LogReader(db, epoch: epoch), UntriedPass())
            let backlogs = CountedBacklogs()
            while try !untried.advance(with: &reader, knowing: backlogs) {}
            report.deliveries += Int64(untried.total)
        }
        try note(
            "SELECT 'delivery ' || id || ' is of no event' FROM delivery WHERE event NOT IN (SELECT seq FROM event)",
            "SELECT 'delivery ' || id || ' is for no observer' FROM delivery WHERE observer NOT IN (SELECT key FROM observer)",
            "SELECT 'delivery ' || id || ' is in no known state' FROM delivery WHERE state NOT IN (-1, 0, 1, 2)",
            """
            SELECT 'event ' || event || ' is delivered ' || count(*) || ' times to observer ' || observer
            FROM delivery GROUP BY observer, event HAVING count(*) > 1
            """,
            // Deliveries that are done go with their events, and the counters stay; those of observers that were taken out
            // are being deleted.
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
        report.keys = try db.number("SELECT count(*) FROM idempotency")
        try note(
            "SELECT 'the log notes ' || held_keys || ' idempotency keys' FROM log WHERE held_keys != \(report.keys)",
            """
            SELECT 'idempotency key "' || key || '" is of no topic' FROM idempotency
            WHERE topic NOT IN (SELECT id FROM topic)
            """,
            """
            SELECT 'idempotency key "' || key || '" is of event ' || event || ', which was never posted' FROM idempotency
            WHERE event < 1 OR event > \(report.tail)
            """
        )
    }
}

/// Findings of one kind, of which the first are written out.
struct Faults {
    private var found: [String] = []
    private var more = 0

    mutating func add(_ fault: String) {
        if found.count < 10 { found.append(fault) } else { more += 1 }
    }

    var lines: [String] { more > 0 ? found + ["… and \(more) more like it"] : found }
}
