internal import GRDB

extension EventReader {
    /// What to look for.
    struct LookedFor {
        var patterns: [TopicPattern]
        var types: EventTypes
        /// How many are wanted at most, at least 1.
        var count: Int
        /// The number of an observer: only events that it has no delivery of.
        var withoutDeliveryTo: Int64?
    }

    /// A part of the sequence, and from which end it is looked through.
    struct Stretch {
        /// Positions after this,
        var after: Int64
        /// and up to this.
        var through: Int64
        var newestFirst = false

        fileprivate var order: String { newestFirst ? "DESC" : "ASC" }
        /// The end of the two that comes first when it is looked through.
        fileprivate func nearer(_ one: Int64, _ other: Int64) -> Int64 {
            newestFirst ? max(one, other) : min(one, other)
        }
    }

    /// What was found in a part of the sequence.
    struct Found {
        /// The positions of events that match, in the order in which they were looked for.
        var positions: [Int64] = []
        /// Every match up to here is in ``positions``, unless that has as many as were wanted; nil if all was looked through.
        var end: Int64?
    }

    /// Looks for events that match: by the index of topics, or through the sequence for patterns.
    ///
    /// - Parameter limit: how many events are looked at, more or less.
    mutating func search(_ stretch: Stretch, for wanted: LookedFor, scanning limit: Int) throws -> Found {
        if let topics = try topics(of: wanted, in: stretch) {
            return try search(stretch, for: wanted, on: topics, scanning: limit)
        }
        let statement = try PreparedStatement(
            cachedIn: db,
            "SELECT seq, topic, type FROM event WHERE seq > ?1 AND seq <= ?2 ORDER BY seq \(stretch.order) LIMIT ?3"
        )
        statement.bind(stretch.after, at: 1)
        statement.bind(stretch.through, at: 2)
        statement.bind(Int64(limit), at: 3)
        defer { statement.reset() }
        var result = Found()
        var scanned = 0
        var type: String?
        var matches: [Int64: Bool] = [:]
        while result.positions.count < wanted.count, try statement.step() {
            scanned += 1
            let (position, number) = (statement.integer(0), statement.integer(1))
            let topic = try stored(number)
            let isMatch = matches[number] ?? wanted.patterns.contains { $0.matches(topic.topic) }
            matches[number] = isMatch
            result.end = position
            if isMatch, position > topic.removed, wanted.types.contain(statement.text(2, like: &type)),
                try wanted.withoutDeliveryTo.map({ try !hasDelivery(position, to: $0) }) ?? true
            {
                result.positions.append(position)
            }
        }
        if scanned < limit, result.positions.count < wanted.count { result.end = nil }
        return result
    }

    /// The topics to look at by their index; nil if going through the sequence is less.
    func topics(of wanted: LookedFor, in stretch: Stretch) throws -> [StoredTopic]? {
        guard wanted.patterns.contains(where: \.hasWildcards) else {
            return try Set(wanted.patterns.compactMap(\.literal)).compactMap { try stored($0) }
        }
        let last = try PreparedStatement(cachedIn: db, "SELECT max(id) FROM topic").first { $0.integer(0) } ?? 0
        let end = min(stretch.through, try EventReader.tail(db))
        guard (end - stretch.after) / 4 > last else { return nil }
        var found: [StoredTopic] = []
        try PreparedStatement(cachedIn: db, "SELECT id, name, removed, removal FROM topic").prefix { row in
            let topic = Topic(stored: row.text(1))
            if wanted.patterns.contains(where: { $0.matches(topic) }) {
                found.append(
                    StoredTopic(number: row.integer(0), topic: topic, removed: row.integer(2), removal: row.integer(3))
                )
            }
            return found.count <= Self.mostTopics
        }
        return found.count <= Self.mostTopics ? found : nil
    }

    /// How many topics that a pattern matches are looked at one by one.
    private static let mostTopics = 64

    /// Takes from each topic its next positions, few of them where there are many topics. What lies up to the nearest end of
    /// those lists is known completely.
    private func search(
        _ stretch: Stretch,
        for wanted: LookedFor,
        on topics: [StoredTopic],
        scanning limit: Int
    ) throws -> Found {
        let share = max(16, limit / max(topics.count, 1))
        // Without its type an event is not looked at: the index alone has its position.
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT seq, \(wanted.types.areAll ? "NULL" : "type") FROM event INDEXED BY event_topic
            WHERE topic = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq \(stretch.order) LIMIT ?4
            """
        )
        var result = Found()
        var type: String?
        for topic in topics {
            statement.bind(topic.number, at: 1)
            statement.bind(max(topic.removed, stretch.after), at: 2)
            statement.bind(stretch.through, at: 3)
            statement.bind(Int64(share), at: 4)
            defer { statement.reset() }
            var (rows, taken, last) = (0, 0, Int64(0))
            while taken < wanted.count, try statement.step() {
                rows += 1
                last = statement.integer(0)
                guard wanted.types.contain(statement.text(1, like: &type)),
                    try wanted.withoutDeliveryTo.map({ try !hasDelivery(last, to: $0) }) ?? true
                else { continue }
                taken += 1
                result.positions.append(last)
            }
            if rows == share || taken == wanted.count {
                result.end = result.end.map { stretch.nearer($0, last) } ?? last
            }
        }
        if let end = result.end { result.positions.removeAll { stretch.nearer($0, end) != $0 } }
        result.positions.sort { stretch.newestFirst ? $0 > $1 : $0 < $1 }
        if result.positions.count > wanted.count {
            result.positions.removeSubrange(wanted.count...)
            result.end = result.positions.last
        }
        return result
    }

    /// Whether an event has a delivery to an observer.
    func hasDelivery(_ position: Int64, to observer: Int64) throws -> Bool {
        let row = try PreparedStatement(
            cachedIn: db,
            "SELECT 1 FROM delivery INDEXED BY delivery_event WHERE event = ?1 AND observer = ?2"
        )
        row.bind(position, at: 1)
        row.bind(observer, at: 2)
        return try row.first { _ in true } != nil
    }
}
