internal import GRDB

/// Reads events from one snapshot of the database.
struct EventReader {
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

    init(_ db: Database, epoch: LogEpoch) {
        self.db = db
        self.epoch = epoch
    }

    /// The newest position the snapshot knows of, also if the event was deleted.
    static func tail(_ db: Database) throws -> Int64 {
        try PreparedStatement(
            cachedIn: db,
            "SELECT max(high_water, ifnull((SELECT max(seq) FROM event), 0)) FROM log"
        ).first { $0.integer(0) } ?? 0
    }

    /// A topic as its row has it.
    struct StoredTopic {
        let number: Int64
        let topic: Topic
        /// The events up to here are gone, also if their rows are still there.
        let removed: Int64
        /// The number of the removal that took the last of them.
        let removal: Int64
    }

    /// The row of a topic; nil if nothing was ever posted on it.
    func stored(_ topic: Topic) throws -> StoredTopic? {
        let statement = try PreparedStatement(cachedIn: db, "SELECT id, removed, removal FROM topic WHERE name = ?1")
        statement.bind(topic.name, at: 1)
        return try statement.first {
            StoredTopic(number: $0.integer(0), topic: topic, removed: $0.integer(1), removal: $0.integer(2))
        }
    }

    /// The row of a number.
    mutating func stored(_ number: Int64) throws -> StoredTopic {
        if let topic = known[number] { return topic }
        let statement = try PreparedStatement(cachedIn: db, "SELECT name, removed, removal FROM topic WHERE id = ?1")
        statement.bind(number, at: 1)
        let found = try statement.first {
            StoredTopic(
                number: number,
                topic: Topic(stored: $0.text(0)),
                removed: $0.integer(1),
                removal: $0.integer(2)
            )
        }
        guard let found else {
            throw EventLogError(code: EventLogError.corrupt, message: "An event is on a topic without a name.")
        }
        known[number] = found
        return found
    }

    /// The event of a row that begins with ``columns``; nil if it is gone although the row is there.
    mutating func event(_ row: PreparedStatement) throws -> Event? {
        let stored = try stored(row.integer(1))
        return row.integer(0) > stored.removed ? event(row, topic: stored.topic) : nil
    }

    /// The event of a row that begins with ``columns`` and is on that topic.
    mutating func event(_ row: PreparedStatement, topic: Topic) -> Event {
        Event(
            id: EventID(epoch: epoch, position: Position(row.integer(0))),
            topic: topic,
            type: row.text(3, like: &lastType),
            contentType: row.text(4, like: &lastContentType),
            data: row.bytes(6),
            attributes: row.optionalBytes(5),
            time: Timestamp(milliseconds: row.integer(2))
        )
    }

    /// The event at a position.
    mutating func event(at position: Position) throws -> Event? {
        let statement = try PreparedStatement(cachedIn: db, "SELECT \(Self.columns) FROM event WHERE seq = ?1")
        statement.bind(position.rawValue, at: 1)
        return try statement.first { try event($0) } ?? nil
    }

    /// The newest event of a topic.
    mutating func lastEvent(of topic: Topic) throws -> Event? {
        guard let stored = try stored(topic) else { return nil }
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT \(Self.columns) FROM event INDEXED BY event_topic
            WHERE topic = ?1 AND seq > ?2 ORDER BY seq DESC LIMIT 1
            """
        )
        statement.bind(stored.number, at: 1)
        statement.bind(stored.removed, at: 2)
        return try statement.first { event($0, topic: topic) }
    }

    /// The position of the newest event that any of the patterns matches.
    mutating func newest(matching patterns: [TopicPattern]) throws -> Position? {
        guard patterns.contains(where: \.hasWildcards) else {
            return try patterns.compactMap(\.literal).compactMap { try lastPosition(of: $0) }.max()
        }
        // What the topics do not say yet is newer than all that they say.
        let uncounted = try PreparedStatement(
            cachedIn: db,
            "SELECT seq, topic FROM event WHERE seq > (SELECT counted FROM log) ORDER BY seq DESC"
        )
        var newest: Int64?
        try uncounted.prefix(while: { row in
            let stored = try stored(row.integer(1))
            guard row.integer(0) > stored.removed, patterns.contains(where: { $0.matches(stored.topic) }) else {
                return true
            }
            newest = row.integer(0)
            return false
        })
        if let newest { return Position(newest) }
        let topics = try PreparedStatement(cachedIn: db, "SELECT last, name FROM topic WHERE last > removed")
        try topics.forEach { row in
            let last = row.integer(0)
            if let newest, last <= newest { return }
            let topic = Topic(stored: row.text(1))
            if patterns.contains(where: { $0.matches(topic) }) { newest = last }
        }
        return newest.map(Position.init)
    }

    /// The position of the newest event of a topic.
    private func lastPosition(of topic: Topic) throws -> Position? {
        guard let stored = try stored(topic) else { return nil }
        let statement = try PreparedStatement(
            cachedIn: db,
            "SELECT seq FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq > ?2 ORDER BY seq DESC LIMIT 1"
        )
        statement.bind(stored.number, at: 1)
        statement.bind(stored.removed, at: 2)
        return try statement.first { Position($0.integer(0)) }
    }

    /// The position just before the first event at or after a moment. Times do not step back along the sequence, so it
    /// is found by halving, without an index.
    func position(since moment: Timestamp) throws -> Position {
        let tail = try EventReader.tail(db)
        let statement = try PreparedStatement(
            cachedIn: db,
            "SELECT seq, time FROM event WHERE seq > ?1 ORDER BY seq LIMIT 1"
        )
        // Every event up to `low` is earlier; none up to `high` that is later than `low` need be looked at again.
        var low: Int64 = 0
        var high = tail
        while low < high {
            let middle = low + (high - low) / 2
            statement.bind(middle, at: 1)
            let found = try statement.first { (seq: $0.integer(0), time: $0.integer(1)) }
            if let found, found.time < moment.milliseconds {
                low = found.seq
            } else {
                high = middle
            }
        }
        statement.bind(low, at: 1)
        return Position(try statement.first { _ in low } ?? tail)
    }
}
