internal import GRDB

/// Reads events from one snapshot of the database.
struct EventReader {
    let db: Database
    let epoch: LogEpoch

    /// Names of topics by number, as this read came across them.
    private var names: [Int64: Topic] = [:]
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

    /// The number of a topic; nil if nothing was ever posted on it.
    func number(of topic: Topic) throws -> Int64? {
        let statement = try PreparedStatement(cachedIn: db, "SELECT id FROM topic WHERE name = ?1")
        statement.bind(topic.name, at: 1)
        return try statement.first { $0.integer(0) }
    }

    /// The topic of a number.
    mutating func topic(_ number: Int64) throws -> Topic {
        if let topic = names[number] { return topic }
        let statement = try PreparedStatement(cachedIn: db, "SELECT name FROM topic WHERE id = ?1")
        statement.bind(number, at: 1)
        guard let name = try statement.first({ $0.text(0) }) else {
            throw EventLogError(code: EventLogError.corrupt, message: "An event is on a topic without a name.")
        }
        let topic = Topic(stored: name)
        names[number] = topic
        return topic
    }

    /// The event of a row that begins with ``columns``.
    mutating func event(_ row: PreparedStatement) throws -> Event {
        event(row, topic: try topic(row.integer(1)))
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
        return try statement.first { try event($0) }
    }

    /// The newest event of a topic.
    mutating func lastEvent(of topic: Topic) throws -> Event? {
        guard let number = try number(of: topic) else { return nil }
        let statement = try PreparedStatement(
            cachedIn: db,
            "SELECT \(Self.columns) FROM event INDEXED BY event_topic WHERE topic = ?1 ORDER BY seq DESC LIMIT 1"
        )
        statement.bind(number, at: 1)
        return try statement.first { event($0, topic: topic) }
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
