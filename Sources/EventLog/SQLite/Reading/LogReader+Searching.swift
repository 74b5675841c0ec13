extension LogReader {
    /// What to look for.
    struct LookedFor {
        var patterns: [TopicPattern] = []
        var types = EventTypes([])
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
        /// How many events and topics were looked at, more or less.
        var looked = 0
    }

    /// Looks for events that match: by the index of topics, or through the sequence for patterns. The limit, here and below, is
    /// how many events are looked at, more or less.
    /// - Parameter most: how many may be looked at before the end of the stretch, by this step and those that go on: topics are
    ///   not gone through if they are more than that is worth.
    mutating func search(
        _ stretch: Stretch,
        for wanted: LookedFor,
        scanning limit: Int,
        inAll most: Int = .max
    ) throws -> Found {
        let (topics, looked) = try topics(of: wanted, in: stretch, insteadOf: most)
        var found = try search(stretch, for: wanted, on: topics, scanning: limit)
        found.looked += looked
        return found
    }

    /// Looks for them by the index of some topics; without these, through the sequence.
    mutating func search(
        _ stretch: Stretch,
        for wanted: LookedFor,
        on topics: [StoredTopic]?,
        scanning limit: Int
    ) throws -> Found {
        if let topics { return try merge(topics, in: stretch, for: wanted, scanning: limit) }
        var result = Found()
        var type: String?
        let patterns = wanted.patterns
        let scanned = try scan("seq, topic, type", in: stretch, matching: patterns, limit: limit) { reader, row, _ in
            if try reader.isWanted(row[0], row.text(2, like: &type), wanted) { result.positions.append(row[0]) }
            return result.positions.count < wanted.count
        }
        (result.end, result.looked) = scanned
        return result
    }

    /// Goes through the sequence, event by event.
    /// - Parameters:
    ///   - columns: of the rows; the first are position and topic.
    ///   - limit: how many events are looked at.
    ///   - body: called with each event that is there and whose topic matches, until it answers false.
    /// - Returns: the last position that was looked at, nil if nothing is left; and how many events were looked at.
    mutating func scan(
        _ columns: String,
        in stretch: Stretch,
        matching patterns: [TopicPattern],
        limit: Int,
        _ body: (inout LogReader, PreparedStatement, Topic) throws -> Bool
    ) throws -> (end: Int64?, looked: Int) {
        let rows = try db.cached(
            "SELECT \(columns) FROM event WHERE seq > ?1 AND seq <= ?2 ORDER BY seq \(stretch.order) LIMIT ?3"
        ).bind(stretch.after, stretch.through, limit)
        defer { rows.reset() }
        var matches: [Int64: Bool] = [:]
        var (scanned, end) = (0, Int64(0))
        while try rows.step() {
            scanned += 1
            end = rows[0]
            let topic = try stored(rows.integer(1))
            let isMatch = matches[topic.number] ?? patterns.match(topic.topic)
            matches[topic.number] = isMatch
            if isMatch, end > topic.removed, try !body(&self, rows, topic.topic) { return (end, scanned) }
        }
        return (scanned < limit ? nil : end, scanned)
    }

    /// The topics to look at by their index; nil if going through the sequence is less.
    /// - Parameter most: how many events would be looked at in the sequence, at most.
    /// - Returns: also how many events looking for them was worth, more or less.
    func topics(
        of wanted: LookedFor,
        in stretch: Stretch,
        insteadOf most: Int = .max
    ) throws -> (topics: [StoredTopic]?, looked: Int) {
        guard wanted.patterns.contains(where: \.hasWildcards) else {
            return (try Set(wanted.patterns.compactMap(\.literal)).compactMap { try stored($0) }, 0)
        }
        let last = try db.number("SELECT max(id) FROM topic")
        let end = min(stretch.through, try LogReader.tail(db))
        guard min(end - stretch.after, Int64(most)) / 4 > last else { return (nil, 0) }
        var found: [StoredTopic] = []
        var looked = 0
        try db.cached("SELECT \(StoredTopic.columns) FROM topic").prefix { row in
            looked += 1
            let topic = StoredTopic(row)
            if wanted.patterns.match(topic.topic) { found.append(topic) }
            return found.count <= Self.mostTopics
        }
        return (found.count <= Self.mostTopics ? found : nil, looked)
    }

    /// How many topics that a pattern matches are looked at one by one.
    private static let mostTopics = 64

    /// Takes from each topic its next positions, few of them where there are many topics. What lies up to the nearest end of
    /// those lists is known completely.
    private func merge(
        _ topics: [StoredTopic],
        in stretch: Stretch,
        for wanted: LookedFor,
        scanning limit: Int
    ) throws -> Found {
        let share = max(16, limit / max(topics.count, 1))
        // Without its type an event is not looked at: the index alone has its position.
        let rows = try db.cached(
            """
            SELECT seq, \(wanted.types.areAll ? "NULL" : "type") FROM event INDEXED BY event_topic
            WHERE topic = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq \(stretch.order) LIMIT ?4
            """
        )
        var result = Found()
        var type: String?
        for topic in topics {
            rows.bind(topic.number, max(topic.removed, stretch.after), stretch.through, share)
            defer { rows.reset() }
            var (seen, taken, last) = (0, 0, Int64(0))
            while taken < wanted.count, try rows.step() {
                seen += 1
                last = rows[0]
                guard try isWanted(last, rows.text(1, like: &type), wanted) else { continue }
                taken += 1
                result.positions.append(last)
            }
            result.looked += seen + 1
            if seen == share || taken == wanted.count {
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

    private func isWanted(_ position: Int64, _ type: String?, _ wanted: LookedFor) throws -> Bool {
        guard wanted.types.contain(type) else { return false }
        return try wanted.withoutDeliveryTo.map { try !hasDelivery(position, to: $0) } ?? true
    }

    func hasDelivery(_ position: Int64, to observer: Int64) throws -> Bool {
        try db.number(
            "SELECT 1 FROM delivery INDEXED BY delivery_event WHERE event = ?1 AND observer = ?2",
            position,
            observer
        ) != 0
    }
}
