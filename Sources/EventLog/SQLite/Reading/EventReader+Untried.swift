internal import GRDB

extension EventReader {
    /// Which of the events to look for that an observer waits for and that were never tried.
    struct UntriedSearch {
        /// Positions after this; the cursor's, if that is later.
        var after: Int64 = 0
        var through: Int64
        var newestFirst = false
        /// How many are wanted at most, at least 1.
        var count: Int
        /// How many events are looked at, more or less.
        var scanning: Int
    }

    /// Looks for events that an observer waits for and that were never tried.
    mutating func untried(by subscription: Subscription, _ search: UntriedSearch) throws -> Found {
        var found = Found()
        var stretches = subscription.stretches(after: search.after, through: search.through)
        if search.newestFirst { stretches.reverse() }
        for (interest, after, through) in stretches {
            let wanted = LookedFor(
                patterns: interest.topics,
                types: interest.types,
                count: search.count - found.positions.count,
                withoutDeliveryTo: subscription.key
            )
            let stretch = Stretch(after: after, through: through, newestFirst: search.newestFirst)
            let part = try self.search(stretch, for: wanted, scanning: search.scanning)
            found.positions += part.positions
            found.end = part.end
            if part.end != nil || found.positions.count >= search.count { break }
        }
        return found
    }

    /// All of them, as many as are wanted.
    mutating func allUntried(by subscription: Subscription, _ search: UntriedSearch) throws -> [Int64] {
        var (search, found) = (search, [Int64]())
        while search.count > 0 {
            let part = try untried(by: subscription, search)
            found += part.positions
            search.count -= part.positions.count
            guard let end = part.end else { break }
            if search.newestFirst { search.through = end - 1 } else { search.after = end }
        }
        return found
    }

    /// How many there are for all observers. Of those that want the same and have come as far, one is counted.
    mutating func countUntried() throws -> Int {
        let rows = try PreparedStatement(
            db,
            """
            SELECT key, cursor FROM observer CROSS JOIN delivery_stats ON delivery_stats.observer = key
            WHERE name IS NOT NULL AND cursor < ?1
            """
        )
        rows.bind(try EventReader.tail(db), at: 1)
        var found: [(key: Int64, cursor: Int64)] = []
        try rows.forEach { found.append(($0.integer(0), $0.integer(1))) }
        var known: [Wanted: Int] = [:]
        return try found.reduce(0) { count, observer in
            let subscription = try Subscription(key: observer.key, cursor: observer.cursor, db)
            return try count + countUntried(by: subscription, remembering: &known)
        }
    }

    /// How many there are.
    ///
    /// Counted by the index, and what has a delivery of its own taken off: one by one it would take as many look-ups.
    ///
    /// - Parameter known: how many events follow in what others want from where they are; added to.
    mutating func countUntried(by subscription: Subscription, remembering known: inout [Wanted: Int]) throws -> Int {
        let wanted = Wanted(cursor: subscription.cursor, interests: subscription.interests)
        let total = try known[wanted] ?? countWanted(by: subscription)
        known[wanted] = total
        return total == 0 ? 0 : max(total - (try countTried(by: subscription)), 0)
    }

    /// What is to be counted once for all that want the same from the same place on.
    struct Wanted: Hashable {
        let cursor: Int64
        let interests: [Interest]
    }

    private mutating func countWanted(by subscription: Subscription) throws -> Int {
        var count = 0
        for (interest, after, through) in subscription.stretches(after: 0, through: try EventReader.tail(db)) {
            let wanted = LookedFor(patterns: interest.topics, types: interest.types, count: .max)
            count += try self.count(Stretch(after: after, through: through), for: wanted)
        }
        return count
    }

    /// How many of them have a delivery.
    private mutating func countTried(by subscription: Subscription) throws -> Int {
        var count = 0
        let tried = try PreparedStatement(
            cachedIn: db,
            """
            SELECT event, topic, type FROM delivery INDEXED BY delivery_state CROSS JOIN event ON seq = event
            WHERE observer = ?1 AND state = ?2 AND event > ?3
            """
        )
        for state in Schema.states {
            tried.bind(subscription.key, at: 1)
            tried.bind(state, at: 2)
            tried.bind(subscription.cursor, at: 3)
            try tried.forEach { row in
                let topic = try stored(row.integer(1))
                let isThere = row.integer(0) > topic.removed
                if isThere, subscription.wants(topic.topic, type: row.optionalText(2), at: row.integer(0)) {
                    count += 1
                }
            }
        }
        return count
    }

    private mutating func count(_ stretch: Stretch, for wanted: LookedFor) throws -> Int {
        guard wanted.types.areAll, let topics = try topics(of: wanted, in: stretch) else {
            return try search(stretch, for: wanted, scanning: .max).positions.count
        }
        let row = try PreparedStatement(
            cachedIn: db,
            "SELECT count(*) FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq > ?2 AND seq <= ?3"
        )
        return try topics.reduce(0) { count, topic in
            row.bind(topic.number, at: 1)
            row.bind(max(topic.removed, stretch.after), at: 2)
            row.bind(stretch.through, at: 3)
            return count + Int(try row.first { $0.integer(0) } ?? 0)
        }
    }
}
