extension ObserverWriter {
    /// Moves an observer's cursor up to just before the first event that was never tried.
    /// - Parameters:
    ///   - limit: how many events to look at, more or less. Posts wait meanwhile.
    ///   - most: how many steps of that together are worth: a quarter as many topics are gone through instead, which leads
    ///     past what others were to hear at once.
    /// - Returns: how many events and topics were looked at.
    @discardableResult
    func moveCursor(of observer: RegisteredObserver, scanning limit: Int, inAll most: Int? = nil) throws -> Int {
        guard observer.subscription.cursor < events.tail else { return 0 }
        var reader = reader
        let all = LogReader.Stretch(after: 0, through: events.tail)
        let untried = try reader.untried(
            by: observer.subscription,
            in: all,
            count: 1,
            scanning: limit,
            inAll: most ?? limit
        )
        let cursor = untried.positions.first.map { $0 - 1 } ?? untried.end ?? events.tail
        try setCursor(of: observer, to: cursor)
        return untried.looked
    }

    /// Moves an observer's cursor; what it no longer reaches of what the observer wanted is forgotten.
    func setCursor(of observer: RegisteredObserver, to cursor: Int64) throws {
        var subscription = observer.subscription
        if cursor > subscription.cursor {
            subscription.cursor = cursor
            try db.run("UPDATE delivery_stats SET cursor = ?2 WHERE observer = ?1", observer.key, cursor)
        }
        let current = subscription.current
        if let first = current.first, current.count < subscription.interests.count {
            subscription.interests = Array(current)
            try db.run("DELETE FROM interest WHERE observer = ?1 AND since < ?2", observer.key, first.since)
        }
        if subscription != observer.subscription { self[observer.id]?.subscription = subscription }
    }

    /// Moves the cursor of an observer that is behind towards the next change of what it wants, if they are many: what it
    /// was to get before has rows then, and is one thing less to remember.
    func shortenInterests(of observer: RegisteredObserver) throws {
        let interests = observer.subscription.interests
        guard interests.count >= limits.interests else { return }
        let (added, _) = try writeUntried(of: observer, through: interests[1].since, LogWriter.rowsAtOnce, as: .pending)
        try count(observer.key, pending: added)
    }

    /// Adds to how many rows an observer has, by its number.
    func count(_ observer: Int64, pending: Int, dead: Int = 0) throws {
        try db.cached("UPDATE delivery_stats SET pending = pending + ?2, dead = dead + ?3 WHERE observer = ?1")
            .bind(observer, pending, dead).run()
    }

    /// Notes what an observer wants from now on.
    /// - Returns: what it wants, or wanted where its cursor is.
    func setInterest(_ record: ObserverRecord, of key: Int64, after interests: [Interest]) throws -> [Interest] {
        if interests.last.map({ $0.isOf(record) }) == true { return interests }
        let interest = Interest(of: record, since: events.tail)
        let lines = record.receives ? (record.topicLines, record.typeLines) : ("", "")
        try db.cached("INSERT OR REPLACE INTO interest (observer, since, topics, types) VALUES (?1, ?2, ?3, ?4)")
            .bind(key, interest.since, lines.0, lines.1).run()
        return interests.filter { $0.since < interest.since } + [interest]
    }

    /// Gives some events that were never tried rows, and moves the cursor up to there. What is pending is due at once, and
    /// before what is to be tried again.
    /// - Returns: how many they were, and whether none is left.
    func writeUntried(
        of observer: RegisteredObserver,
        through end: Int64,
        _ limit: Int,
        as state: DeliveryState,
        failure: String? = nil,
        settledAt: Timestamp? = nil
    ) throws -> (count: Int, isAll: Bool) {
        var reader = reader
        let all = LogReader.Stretch(after: 0, through: end)
        let scanned = 4 * LogWriter.rowsAtOnce
        let untried = try reader.untried(
            by: observer.subscription,
            in: all,
            count: limit,
            scanning: scanned,
            inAll: scanned
        )
        let insert = try db.cached(
            """
            INSERT INTO delivery (observer, event, state, attempts, not_before, failure, settled_at)
            VALUES (?1, ?2, ?3, 0, \(Timestamp.earliest.milliseconds), ?4, ?5)
            """
        )
        for event in untried.positions { try insert.bind(observer.key, event, state.number, failure, settledAt).run() }
        try setCursor(of: observer, to: untried.end ?? end)
        return (untried.positions.count, untried.end == nil)
    }
}
