internal import GRDB

extension LogWriter {
    /// Moves an observer's cursor up to just before the first event that was never tried.
    /// - Parameter limit: how many events to look at, more or less.
    func moveCursor(of observer: RegisteredObserver, scanning limit: Int, _ db: Database) throws {
        let subscription = memory.observers.subscription(of: observer)
        guard subscription.cursor < memory.tail else { return }
        var reader = EventReader(db, epoch: epoch)
        let search = EventReader.UntriedSearch(through: memory.tail, count: 1, scanning: limit)
        let untried = try reader.untried(by: subscription, search)
        let cursor = untried.positions.first.map { $0 - 1 } ?? untried.end ?? memory.tail
        try setCursor(of: observer, to: cursor, db)
    }

    /// Moves an observer's cursor; what it no longer reaches of what the observer wanted is forgotten.
    func setCursor(of observer: RegisteredObserver, to cursor: Int64, _ db: Database) throws {
        var subscription = memory.observers.subscription(of: observer)
        guard cursor > subscription.cursor else { return }
        subscription.cursor = cursor
        memory.observers.move(observer.key, to: cursor)
        let row = try PreparedStatement(cachedIn: db, "UPDATE delivery_stats SET cursor = ?2 WHERE observer = ?1")
        row.bind(observer.key, at: 1)
        row.bind(cursor, at: 2)
        try row.run()
        let current = subscription.current
        guard let first = current.first, current.count < observer.interests.count else { return }
        memory.observers.insert(observer.wanting(Array(current)))
        try db.execute(
            sql: "DELETE FROM interest WHERE observer = ? AND since < ?",
            arguments: [observer.key, first.since]
        )
    }

    /// Notes what an observer wants from now on.
    /// - Returns: what it wants, or wanted where its cursor is.
    func setInterest(_ record: ObserverRecord, of key: Int64, after interests: [Interest], _ db: Database) throws
        -> [Interest]
    {
        let interest = Interest(of: record, since: memory.tail)
        if let last = interests.last, last.topics == interest.topics, last.types == interest.types { return interests }
        try db.execute(
            sql: "INSERT OR REPLACE INTO interest (observer, since, topics, types) VALUES (?, ?, ?, ?)",
            arguments: [
                key, interest.since, record.receives ? record.topicLines : "", record.receives ? record.typeLines : "",
            ]
        )
        return interests.filter { $0.since < interest.since } + [interest]
    }

    /// Moves the cursors of observers that have nothing to do, so that nobody goes through that part of the log again: of
    /// the next few.
    func moveCursors(_ limit: Int, _ db: Database) throws {
        var left = limit
        while left > 0, let id = schedule.cursors.popLast() {
            guard let observer = memory.observers[id] else { continue }
            let before = memory.observers.subscription(of: observer).cursor
            try moveCursor(of: observer, scanning: limit, db)
            let after = memory.observers.subscription(of: observer).cursor
            // What stands where it was waits for its endpoint.
            if after > before, after < memory.tail { schedule.cursors.append(id) }
            left -= 16 + Int(min(after - before, Int64(limit)))
        }
        if schedule.cursors.isEmpty { schedule.cursorsMoved(to: memory.tail) }
    }
}
