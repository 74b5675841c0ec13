internal import GRDB

extension EventReader {
    /// What was found in a part of the sequence that was looked through from its end.
    struct LookBack {
        /// The positions of events that match, the newest first.
        var found: [Int64] = []
        /// Every match from here on is in ``found``, unless that has as many as were wanted; 0 if nothing is before.
        var scannedFrom: Int64 = 0
    }

    /// What to look for.
    struct LookedFor {
        var patterns: [TopicPattern]
        /// Which types; all if there are none.
        var types: [String]
        /// How many are wanted at most, at least 1.
        var count: Int
    }

    /// Looks back from a position for the newest events that match: by the index of topics, or through the sequence for
    /// patterns.
    ///
    /// - Parameters:
    ///   - position: events from here on do not count.
    ///   - limit: how many events are looked at, more or less.
    mutating func lookBack(from position: Int64, for wanted: LookedFor, scanning limit: Int) throws -> LookBack {
        guard wanted.patterns.contains(where: \.hasWildcards) else {
            let topics = try Set(wanted.patterns.compactMap(\.literal)).compactMap { try stored($0) }
            return try lookBack(from: position, for: wanted, on: topics, scanning: limit)
        }
        let statement = try PreparedStatement(
            cachedIn: db,
            "SELECT seq, topic, type FROM event WHERE seq < ?1 ORDER BY seq DESC LIMIT ?2"
        )
        statement.bind(position, at: 1)
        statement.bind(Int64(limit), at: 2)
        var result = LookBack()
        var scanned = 0
        var type: String?
        var matches: [Int64: Bool] = [:]
        try statement.prefix { row in
            scanned += 1
            let number = row.integer(1)
            let topic = try stored(number)
            let isMatch = matches[number] ?? wanted.patterns.contains { $0.matches(topic.topic) }
            matches[number] = isMatch
            result.scannedFrom = row.integer(0)
            if isMatch, result.scannedFrom > topic.removed, wanted.takes(row.text(2, like: &type)) {
                result.found.append(result.scannedFrom)
            }
            return result.found.count < wanted.count
        }
        if scanned < limit, result.found.count < wanted.count { result.scannedFrom = 0 }
        return result
    }

    /// Takes from each topic its newest positions, few of them where there are many topics. What lies after the latest
    /// end of those lists is known completely.
    private func lookBack(
        from position: Int64,
        for wanted: LookedFor,
        on topics: [StoredTopic],
        scanning limit: Int
    ) throws -> LookBack {
        let scanned = max(16, limit / max(topics.count, 1))
        let share = wanted.types.isEmpty ? min(wanted.count, scanned) : scanned
        // Without its type an event is not looked at: the index alone has its position.
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT seq, \(wanted.types.isEmpty ? "NULL" : "type") FROM event INDEXED BY event_topic
            WHERE topic = ?1 AND seq > ?2 AND seq < ?3 ORDER BY seq DESC LIMIT ?4
            """
        )
        var result = LookBack()
        var type: String?
        for topic in topics {
            statement.bind(topic.number, at: 1)
            statement.bind(topic.removed, at: 2)
            statement.bind(position, at: 3)
            statement.bind(Int64(share), at: 4)
            var rows = 0
            var last: Int64 = 0
            try statement.forEach { row in
                rows += 1
                last = row.integer(0)
                if wanted.takes(row.text(1, like: &type)) { result.found.append(last) }
            }
            if rows == share { result.scannedFrom = max(result.scannedFrom, last) }
        }
        let known = result.scannedFrom
        result.found = Array(result.found.filter { $0 >= known }.sorted(by: >).prefix(wanted.count))
        return result
    }
}

extension EventReader.LookedFor {
    fileprivate func takes(_ type: String?) -> Bool {
        guard !types.isEmpty else { return true }
        guard let type else { return false }
        return types.contains { $0.utf8.elementsEqual(type.utf8) }
    }
}
