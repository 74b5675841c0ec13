internal import GRDB

extension ObserverWriter {
    /// Moves an observer's cursor up to just before the first event that was never tried.
    /// - Parameter limit: how many events to look at, more or less.
    func moveCursor(of observer: RegisteredObserver, scanning limit: Int, _ db: Database) throws {
        guard observer.subscription.cursor < events.tail else { return }
        var reader = EventReader(db, epoch: events.epoch)
        let all = EventReader.Stretch(after: 0, through: events.tail)
        let untried = try reader.untried(by: observer.subscription, in: all, count: 1, scanning: limit)
        let cursor = untried.positions.first.map { $0 - 1 } ?? untried.end ?? events.tail
        try setCursor(of: observer, to: cursor, db)
    }

    /// Moves an observer's cursor; what it no longer reaches of what the observer wanted is forgotten.
    func setCursor(of observer: RegisteredObserver, to cursor: Int64, _ db: Database) throws {
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
    func shortenInterests(of observer: RegisteredObserver, _ db: Database) throws {
        let interests = observer.subscription.interests
        guard interests.count >= limits.interests else { return }
        let end = interests[1].since
        var reader = EventReader(db, epoch: events.epoch)
        let untried = try reader.untried(
            by: observer.subscription,
            in: EventReader.Stretch(after: 0, through: end),
            count: LogWriter.rowsAtOnce,
            scanning: 4 * LogWriter.rowsAtOnce
        )
        try observer.insertUntried(untried.positions, as: LogSchema.pending, db)
        let added = untried.positions.count
        try db.run("UPDATE delivery_stats SET pending = pending + ?2 WHERE observer = ?1", observer.key, added)
        try setCursor(of: observer, to: untried.end ?? end, db)
    }

    /// Notes what an observer wants from now on.
    /// - Returns: what it wants, or wanted where its cursor is.
    func setInterest(_ record: ObserverRecord, of key: Int64, after interests: [Interest], _ db: Database) throws
        -> [Interest]
    {
        if interests.last.map({ $0.isOf(record) }) == true { return interests }
        let interest = Interest(of: record, since: events.tail)
        let lines = record.receives ? (record.topicLines, record.typeLines) : ("", "")
        try db.cached("INSERT OR REPLACE INTO interest (observer, since, topics, types) VALUES (?1, ?2, ?3, ?4)")
            .bind(key, interest.since, lines.0, lines.1).run()
        return interests.filter { $0.since < interest.since } + [interest]
    }

    /// Moves the cursors of observers that have nothing to do, so that nobody goes through that part of the log again: of
    /// the next few.
    func moveCursors(_ limit: Int, noting schedule: inout MaintenanceSchedule, _ db: Database) throws {
        var left = limit
        while left > 0, let id = schedule.cursors.popLast() {
            guard let observer = self[id] else { continue }
            try moveCursor(of: observer, scanning: limit, db)
            let before = observer.subscription.cursor
            let after = self[id]?.subscription.cursor ?? before
            // What stands where it was waits for its endpoint.
            if after > before, after < events.tail { schedule.cursors.append(id) }
            left -= 16 + Int(min(after - before, Int64(limit)))
        }
        if schedule.cursors.isEmpty { schedule.cursorsMoved(to: events.tail) }
    }
}
