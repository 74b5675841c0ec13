internal import GRDB

/// The topics: their numbers, how many there are, and what their counters do not show yet.
///
/// A topic's counters are not written with every event: that would be another page for every commit. What is added is kept in
/// memory, and written by the next step of maintenance. What was not written when the process ends is found in the table of
/// events.
final class TopicWriter {
    let db: Database
    private let find: PreparedStatement
    private let insert: PreparedStatement
    /// Topics that the limit is not about.
    private let uncounted: Set<Topic>
    /// Those that were written to lately.
    private var recent: RecentValues<Topic, Known>
    /// What was added to topics, by their numbers, and is not in their counters yet.
    private(set) var additions: [Int64: TopicAddition]
    /// What the transaction has changed of that, as it was before.
    private var changes: [(topic: Int64, before: TopicAddition?)] = []
    /// How many have events or bounds, but for those that the limit is not about.
    private(set) var quota: Quota

    /// A topic that has a row.
    struct Known {
        let number: Int64
        /// Whether it has events or bounds, and so is counted.
        let isThere: Bool
    }

    init(_ db: Database, _ limits: SQLiteEventLog.Limits) throws {
        self.db = db
        find = try db.compiled("SELECT id, \(LogSchema.isThere) FROM topic WHERE name = ?1")
        insert = try db.compiled(
            "INSERT INTO topic (name, removed, removal) SELECT ?1, forgotten, forgotten_removal FROM log RETURNING id"
        )
        (uncounted, quota) = (limits.uncountedTopics, Quota(name: "topics", limit: limits.topics))
        recent = RecentValues(capacity: limits.cachedTopics)
        additions = try TopicAddition.all(db)
        // As it was noted, or counted if the log was not closed in order. That reads much of the file.
        let noted = try db.cached("SELECT held_topics FROM log").first { $0[0] as Int? } ?? nil
        quota.count = try (noted ?? countAll()) - countUncounted()
    }

    var mark: (count: Int, changes: Int) { (quota.count, changes.count) }

    func goBack(to mark: (count: Int, changes: Int)) {
        quota.count = mark.count
        while changes.count > mark.changes, let change = changes.popLast() { additions[change.topic] = change.before }
        // It may have made some of them.
        recent.removeAll()
    }

    func commit() { changes.removeAll(keepingCapacity: true) }

    // MARK: Numbers

    /// What is known of a topic; nil if it has no number yet.
    func known(_ topic: Topic) throws -> Known? {
        if let known = recent[topic] { return known }
        find.bind(topic.name, at: 1)
        let known = try find.first { row in
            let number = row.integer(0)
            return Known(number: number, isThere: row.integer(1) != 0 || additions[number] != nil)
        }
        if let known { recent[topic] = known }
        return known
    }

    /// The number of a topic, which gets one now if it has none, and which is there from now on: something is being added.
    func enter(_ topic: Topic) throws -> Int64 {
        let known = try known(topic)
        if let known, known.isThere { return known.number }
        let number = try known?.number ?? makeNumber(of: topic)
        if isCounted(topic) { quota.count += 1 }
        recent[topic] = Known(number: number, isThere: true)
        return number
    }

    func makeNumber(of topic: Topic) throws -> Int64 {
        insert.bind(topic.name, at: 1)
        var number: Int64 = 0
        // To the end, not only to the first row: an INSERT is done when it says so.
        try insert.forEach { number = $0.integer(0) }
        return number
    }

    /// A topic has neither events nor bounds any more.
    func vanished(_ topic: Topic) {
        if isCounted(topic) { quota.count -= 1 }
        forget(topic)
    }

    /// The row of a topic was deleted.
    func forget(_ topic: Topic) { recent[topic] = nil }

    // MARK: How many

    /// Also those.
    func countOfAll() throws -> Int { try quota.count + countUncounted() }

    /// Whether the limit is about a topic.
    func isCounted(_ topic: Topic) -> Bool { uncounted.isEmpty || !uncounted.contains(topic) }

    private func countAll() throws -> Int {
        Int(try db.number("SELECT count(*) FROM topic WHERE \(LogReader.isThere)"))
    }

    private func countUncounted() throws -> Int { try uncounted.count { try known($0)?.isThere == true } }

    // MARK: What was added

    func add(_ position: Int64, bytes: Int, to topic: Int64) {
        changes.append((topic, additions[topic]))
        additions[topic, default: TopicAddition()].add(position, bytes: bytes)
    }

    func hasEvents(_ topic: Int64) throws -> Bool {
        try additions[topic] != nil || db.number("SELECT events > 0 FROM topic WHERE id = ?1", topic) != 0
    }

    /// Brings the counters up to all that was added, also by this transaction. Topics that hold too much now are noted.
    func countEvents(through tail: Int64, noting retention: inout RetentionSweep) throws {
        if additions.isEmpty { return }
        let count = try db.cached("UPDATE topic SET events = events + ?2, bytes = bytes + ?3, last = ?4 WHERE id = ?1")
        let counted = try db.cached("SELECT events, bytes, retain_events, retain_bytes FROM topic WHERE id = ?1")
        // In the order of the rows, because neighbours share a page.
        for (topic, addition) in additions.sorted(by: { $0.key < $1.key }) {
            changes.append((topic, addition))
            try count.bind(topic, addition.events, addition.bytes, addition.last).run()
            guard retention.mayBound else { continue }
            _ = try counted.bind(topic).first { row in
                let own = Retention(stored: row[2], age: nil, bytes: row[3])
                retention.note(topic, events: row[0], bytes: row[1], own: own)
            }
        }
        additions.removeAll(keepingCapacity: true)
        try db.run("UPDATE log SET counted = ?1", tail)
    }
}
