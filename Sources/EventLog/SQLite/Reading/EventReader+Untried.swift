internal import GRDB

extension EventReader {
    /// Looks for events that an observer waits for and that were never tried.
    /// - Parameters:
    ///   - count: how many are wanted at most, at least 1.
    ///   - limit: how many events are looked at, more or less.
    mutating func untried(
        by subscription: Subscription,
        in stretch: Stretch,
        count: Int,
        scanning limit: Int
    ) throws -> Found {
        var found = Found()
        var parts = subscription.stretches(after: stretch.after, through: stretch.through)
        if stretch.newestFirst { parts.reverse() }
        for (interest, after, through) in parts {
            let wanted = LookedFor(
                patterns: interest.topics,
                types: interest.types,
                count: count - found.positions.count,
                withoutDeliveryTo: subscription.key
            )
            let part = Stretch(after: after, through: through, newestFirst: stretch.newestFirst)
            let more = try search(part, for: wanted, scanning: limit)
            found.positions += more.positions
            found.end = more.end
            if more.end != nil || found.positions.count >= count { break }
        }
        return found
    }

    /// All of them, as many as are wanted.
    mutating func allUntried(by subscription: Subscription, in stretch: Stretch, count: Int) throws -> [Int64] {
        var (stretch, found) = (stretch, [Int64]())
        while found.count < count {
            let part = try untried(by: subscription, in: stretch, count: count - found.count, scanning: 10_000)
            found += part.positions
            guard let end = part.end else { break }
            if stretch.newestFirst { stretch.through = end - 1 } else { stretch.after = end }
        }
        return found
    }

    /// How many there are for all observers. Of those that want the same and have come as far, one is counted.
    mutating func countUntried() throws -> Int {
        let found = try db.cached(
            """
            SELECT key, cursor FROM observer CROSS JOIN delivery_stats ON delivery_stats.observer = key
            WHERE name IS NOT NULL AND cursor < ?1
            """,
            try EventReader.tail(db)
        ).map { (key: $0.integer(0), cursor: $0.integer(1)) }
        var known: [Subscription: Int] = [:]
        return try found.reduce(0) { count, observer in
            let subscription = try Subscription(key: observer.key, cursor: observer.cursor, db)
            return try count + countUntried(by: subscription, remembering: &known)
        }
    }

    /// How many there are.
    ///
    /// Counted by the index, and what has a delivery of its own taken off: one by one it would take as many look-ups.
    mutating func countUntried(by subscription: Subscription) throws -> Int {
        var known: [Subscription: Int] = [:]
        return try countUntried(by: subscription, remembering: &known)
    }

    /// - Parameter known: how many events follow in what others want from where they are, as if they were number 0.
    private mutating func countUntried(
        by subscription: Subscription,
        remembering known: inout [Subscription: Int]
    ) throws -> Int {
        let wanted = Subscription(key: 0, cursor: subscription.cursor, interests: subscription.interests)
        let total = try known[wanted] ?? countWanted(by: subscription)
        known[wanted] = total
        return total == 0 ? 0 : max(total - (try countTried(by: subscription)), 0)
    }

    private mutating func countWanted(by subscription: Subscription) throws -> Int {
        try subscription.stretches(after: 0, through: try EventReader.tail(db)).reduce(0) { count, part in
            let wanted = LookedFor(patterns: part.interest.topics, types: part.interest.types, count: .max)
            return try count + self.count(Stretch(after: part.after, through: part.through), for: wanted)
        }
    }

    /// How many of them have a delivery.
    private mutating func countTried(by subscription: Subscription) throws -> Int {
        var count = 0
        let tried = try db.cached(
            """
            SELECT event, topic, type FROM delivery INDEXED BY delivery_state CROSS JOIN event ON seq = event
            WHERE observer = ?1 AND state = ?2 AND event > ?3
            """
        )
        for state in LogSchema.states {
            try tried.bind(subscription.key, state, subscription.cursor).forEach { row in
                let topic = try stored(row.integer(1))
                let isThere = row.integer(0) > topic.removed
                if isThere, subscription.wants(topic.topic, type: row[2], at: row[0]) { count += 1 }
            }
        }
        return count
    }

    private mutating func count(_ stretch: Stretch, for wanted: LookedFor) throws -> Int {
        guard wanted.types.areAll, let topics = try topics(of: wanted, in: stretch) else {
            return try search(stretch, for: wanted, scanning: .max).positions.count
        }
        let row = try db.cached(
            "SELECT count(*) FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq > ?2 AND seq <= ?3"
        )
        return try topics.reduce(0) { count, topic in
            row.bind(topic.number, max(topic.removed, stretch.after), stretch.through)
            return count + (try row.first { $0[0] } ?? 0)
        }
    }
}
