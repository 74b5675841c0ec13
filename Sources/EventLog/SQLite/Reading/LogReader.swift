internal import GRDB

/// Reads from one snapshot of the database.
struct LogReader {
    let db: Database
    let epoch: LogEpoch

    /// Topics by number, as this read came across them.
    private var known: [Int64: StoredTopic] = [:]
    private var lastType: String?
    private var lastContentType: String?

    /// The columns that ``event(_:topic:)`` reads, in its order.
    static let columns =
        "event.seq, event.topic, event.time, event.type, event.content_type, event.attributes, event.data"
    static let columnCount: Int32 = 7

    init(_ db: Database, epoch: LogEpoch) { (self.db, self.epoch) = (db, epoch) }

    /// The newest position the snapshot knows of, also if the event was deleted.
    static func tail(_ db: Database) throws -> Int64 {
        try db.number("SELECT max(high_water, ifnull((SELECT max(seq) FROM event), 0)) FROM log")
    }

    /// A topic as its row has it.
    struct StoredTopic {
        let number: Int64
        let topic: Topic
        /// The events up to here are gone, also if their rows are still there.
        let removed: Int64
        /// The number of the removal that took the last of them.
        let removal: Int64

        static let columns = "id, name, removed, removal"

        init(_ row: PreparedStatement) { (number, topic, removed, removal) = (row[0], row[1], row[2], row[3]) }
    }

    /// The row of a topic; nil if nothing was ever posted on it.
    func stored(_ topic: Topic) throws -> StoredTopic? {
        try db.cached("SELECT \(StoredTopic.columns) FROM topic WHERE name = ?1", topic).first(StoredTopic.init)
    }

    mutating func stored(_ number: Int64) throws -> StoredTopic {
        if let topic = known[number] { return topic }
        let row = try db.cached("SELECT \(StoredTopic.columns) FROM topic WHERE id = ?1", number)
        guard let found = try row.first(StoredTopic.init) else {
            throw EventLogError(code: .corrupt, message: "An event is on a topic without a name.")
        }
        known[number] = found
        return found
    }

    /// The event of a row that begins with ``columns`` and is on that topic.
    mutating func event(_ row: PreparedStatement, topic: Topic) -> Event {
        Event(
            id: EventID(epoch: epoch, position: row[0]),
            topic: topic,
            type: row.text(3, like: &lastType),
            contentType: row.text(4, like: &lastContentType),
            data: row[6],
            attributes: row[5],
            time: row[2]
        )
    }

    /// The event at a position; nil if it is gone, also if its row is still there.
    mutating func event(at position: Position) throws -> Event? {
        try db.cached("SELECT \(Self.columns) FROM event WHERE seq = ?1", position).first { row in
            let stored = try stored(row.integer(1))
            return row.integer(0) > stored.removed ? event(row, topic: stored.topic) : nil
        } ?? nil
    }

    /// The position of the newest event that any of the patterns matches. Every topic is looked at.
    mutating func newest(matching patterns: [TopicPattern]) throws -> Position? {
        // What the topics do not say yet is newer than all that they say.
        let uncounted = Stretch(after: try db.number("SELECT counted FROM log"), through: .max, newestFirst: true)
        var newest = Position.start
        _ = try scan("seq, topic", in: uncounted, matching: patterns, limit: .max) { _, row, _ in
            newest = row[0]
            return false
        }
        if newest == .start {
            try db.cached("SELECT last, name FROM topic WHERE last > removed").forEach { row in
                if row[0] > newest, patterns.match(row[1]) { newest = row[0] }
            }
        }
        return newest == .start ? nil : newest
    }

    func lastPosition(of topic: Topic) throws -> Position? {
        try db.cached(
            """
            SELECT seq FROM topic CROSS JOIN event INDEXED BY event_topic ON event.topic = topic.id AND seq > removed
            WHERE name = ?1 ORDER BY seq DESC LIMIT 1
            """
        ).bind(topic).first { $0[0] }
    }
}
