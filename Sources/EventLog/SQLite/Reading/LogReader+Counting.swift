/// How far the count of an observer's untried events has come, from one slice to the next.
struct UntriedCount: Sendable {
    /// The number of the observer.
    fileprivate var observer: Int64?
    /// The end of the log as it began: what is posted later need not be counted, so that it comes to an end.
    fileprivate var tail: Int64?
    /// How often it was begun anew because the observer went on meanwhile.
    fileprivate var restarts = 0
    /// Where the observer was when it began to count what has a delivery of its own; nil if it has not.
    fileprivate var cursor: Int64?
    /// How many of those it has found, the place in ``DeliveryState/allCases`` that it has come to, and the last event there.
    fileprivate var tried = 0
    fileprivate var state = 0
    fileprivate var last: Int64 = 0
}

extension LogReader {
    /// How many events one slice of a count looks at, more or less: about 10 ms.
    static let slice = 10_000

    /// What looking at one observer costs, in events.
    static let observerCost = 32

    /// Counts the events that an observer waits for and that were never tried, or goes on with that.
    ///
    /// Counted by the index where that will do, and what has a delivery of its own taken off: one by one it would take as
    /// many look-ups.
    /// - Parameters:
    ///   - count: how far it has come.
    ///   - backlogs: what is known. Nobody with an older snapshot may use it at the same time.
    ///   - rows: how many events may still be looked at, more or less.
    /// - Returns: nil if those were not enough; it goes on from there in another snapshot.
    mutating func countUntried(
        by subscription: Subscription,
        _ count: inout UntriedCount,
        knowing backlogs: CountedBacklogs,
        rows: inout Int
    ) throws -> Int? {
        // The one that was counted has come to the end meanwhile, or is gone.
        if count.observer != subscription.key { count = UntriedCount(observer: subscription.key) }
        let tail = try LogReader.tail(db)
        let target = count.tail ?? tail
        count.tail = target
        var (total, end) = (0, tail)
        for part in subscription.stretches(after: 0, through: tail) {
            let key = CountedBacklogs.Key(observer: subscription.key, since: part.interest.since)
            let before = backlogs[key]
            var counted = try stillTrue(before, of: part.interest, after: part.after)
            var gap = counted.gap(after: part.after, through: part.through)
            while rows > 0, let next = gap {
                let unknown = Stretch(after: next.after, through: next.through)
                counted.add(try countWanted(in: unknown, part.interest, rows: &rows))
                gap = counted.gap(after: part.after, through: part.through)
            }
            if counted != before { backlogs[key] = counted }
            if let gap {
                guard gap.after >= target else { return nil }
                end = gap.after
            }
            total += counted.count(after: part.after, through: end)
            if gap != nil { break }
        }
        if total == 0 { return 0 }
        guard let tried = try countTried(by: subscription, through: end, &count, rows: &rows) else { return nil }
        return max(total - tried, 0)
    }

    /// What is known, without what the observer has passed, and what may have been removed since.
    private func stillTrue(_ known: CountedEvents?, of interest: Interest, after start: Int64) throws -> CountedEvents {
        let removals = try db.number("SELECT removals FROM log")
        guard var counted = known, counted.removals <= removals else { return CountedEvents(removals: removals) }
        counted.forget(through: start)
        guard counted.removals < removals else { return counted }
        if !counted.parts.isEmpty {
            // Of a topic that is not known any more: it may have been any.
            let forgotten = try db.cached("SELECT forgotten FROM log WHERE forgotten_removal > ?1", counted.removals)
                .first { $0.integer(0) }
            var last = forgotten ?? 0
            try db.cached(
                "SELECT removed, name FROM topic INDEXED BY topic_removal WHERE removed > 0 AND removal > ?1 AND removed > ?2"
            ).bind(counted.removals, start).forEach { row in
                if row[0] > last, interest.topics.match(row[1]) { last = row[0] }
            }
            counted.recount(through: last)
        }
        counted.removals = removals
        return counted
    }

    /// Counts in a part of the sequence, as far as the rows suffice.
    private mutating func countWanted(in stretch: Stretch, _ interest: Interest, rows: inout Int) throws
        -> CountedEvents.Part
    {
        let wanted = LookedFor(patterns: interest.topics, types: interest.types, count: .max)
        let topics = try topicsToCount(of: wanted, in: stretch, rows: &rows)
        if let topics, wanted.types.areAll { return try countAll(in: stretch, on: topics, rows: &rows) }
        let found = try search(stretch, for: wanted, on: topics, scanning: rows)
        rows -= found.looked
        let end = found.end ?? stretch.through
        return CountedEvents.Part(after: stretch.after, through: end, count: found.positions.count)
    }

    /// The topics to look at by their index; nil if going through the sequence is less, or there are so many topics that
    /// finding them would be more than a slice.
    private func topicsToCount(of wanted: LookedFor, in stretch: Stretch, rows: inout Int) throws -> [StoredTopic]? {
        if wanted.patterns.contains(where: \.hasWildcards) {
            let last = try db.number("SELECT max(id) FROM topic")
            guard last <= 4 * Self.slice else { return nil }
            // Which match is found out anew in each slice: the larger is what is done with it.
            rows = max(rows - Int(last) / 4, 1)
        }
        return try topics(of: wanted, in: stretch).topics
    }

    /// Of all types: the index alone has their number, several times as fast.
    private func countAll(in stretch: Stretch, on topics: [StoredTopic], rows: inout Int) throws -> CountedEvents.Part {
        let share = max(16, Self.indexed * rows / max(topics.count, 1))
        let bound = try db.cached(
            """
            SELECT seq FROM event INDEXED BY event_topic
            WHERE topic = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq LIMIT 1 OFFSET ?4
            """
        )
        let end = try topics.reduce(stretch.through) { end, topic in
            bound.bind(topic.number, max(topic.removed, stretch.after), end, share - 1)
            return try bound.first { $0.integer(0) } ?? end
        }
        let number = try db.cached(
            "SELECT count(*) FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq > ?2 AND seq <= ?3"
        )
        let count = try topics.reduce(0) { count, topic in
            number.bind(topic.number, max(topic.removed, stretch.after), end)
            return count + (try number.first { $0[0] } ?? 0)
        }
        rows -= count / Self.indexed + topics.count + 1
        return CountedEvents.Part(after: stretch.after, through: end, count: count)
    }

    /// How many events the index counts while one is looked at.
    private static let indexed = 8

    /// How many of them have a delivery.
    private mutating func countTried(
        by subscription: Subscription,
        through end: Int64,
        _ count: inout UntriedCount,
        rows: inout Int
    ) throws -> Int? {
        if count.cursor != subscription.cursor {
            // What was counted lies before it now. One that goes on all the time is counted at once in the end.
            if count.cursor != nil { count.restarts += 1 }
            (count.cursor, count.state, count.tried) = (subscription.cursor, 0, 0)
            count.last = subscription.cursor
        }
        let statement = try db.cached(
            """
            SELECT event, topic, type FROM delivery INDEXED BY delivery_state CROSS JOIN event ON seq = event
            WHERE observer = ?1 AND state = ?2 AND event > ?3 AND event <= ?4 ORDER BY event LIMIT ?5
            """
        )
        while count.state < DeliveryState.allCases.count {
            let limit = count.restarts > 2 ? Int.max : max(rows, 1)
            statement.bind(subscription.key, DeliveryState.allCases[count.state].number, count.last, end, limit)
            var seen = 0
            try statement.forEach { row in
                seen += 1
                count.last = row[0]
                let topic = try stored(row.integer(1))
                guard count.last > topic.removed else { return }
                if subscription.wants(topic.topic, type: row[2], at: count.last) { count.tried += 1 }
            }
            rows -= seen
            guard seen < limit else { return nil }
            count.state += 1
            count.last = subscription.cursor
        }
        return count.tried
    }
}
