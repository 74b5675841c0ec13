extension LogTables {
    /// Trims topics that hold too much, in turn.
    /// - Returns: how many rows of the step are left.
    func trimTopics(_ rows: Int, isIdle: Bool, at now: Timestamp) throws -> Int {
        guard schedule.retention.isOverdue(isIdle: isIdle) else { return rows }
        var left = rows
        let removal = try topics.nextRemoval()
        while left > 0, let topic = schedule.retention.nextOverdue(isIdle: isIdle) {
            let trimmed = try trim(topic, atMost: left, removal: removal, at: now)
            // There may be more to take.
            if trimmed >= left { schedule.retention.note(topic) }
            left -= 1 + trimmed
        }
        return left
    }

    /// Does some of what is due beside.
    /// - Parameter limit: the rows to touch, about.
    func performChore(atMost limit: Int, mayGiveBack: Bool, at now: Timestamp) throws {
        if schedule.wantsCursors { schedule.cursors = observers.ids[...] }
        switch schedule.nextChore(mayGiveBack: mayGiveBack, at: now) {
        case .purgeTopics: try purgeTopic(limit, at: now)
        case .purgeObservers: try purgeObserver(limit)
        case .moveCursors: try moveCursors(limit)
        case .forgetTopics: try forgetGoneTopics(limit)
        case .inspect: try inspectTopics(limit, at: now)
        case .forgetKeys: try forgetKeys(limit, at: now)
        case .giveBack: schedule.mayHaveFreePages = try diskSpace.giveBack(limit, db)
        case nil: break
        }
    }

    /// Looks for topics that hold too much, or whose oldest event is too old.
    private func inspectTopics(_ limit: Int, at now: Timestamp) throws {
        guard let start = schedule.retention.nextInspection(at: now) else { return }
        var last: Int64?
        var count = 0
        var left = limit
        var sawOwnBounds = false
        try db.cached(
            """
            SELECT id, events, bytes, retain_events, retain_age, retain_bytes, (
                SELECT time FROM event INDEXED BY event_topic
                WHERE event.topic = topic.id AND event.seq > topic.removed ORDER BY event.seq LIMIT 1
            ), removed FROM topic WHERE id > ?1 ORDER BY id LIMIT ?2
            """
        ).bind(start, limit).prefix { row in
            last = row[0]
            count += 1
            left -= 1
            let own = Retention(stored: row[3], age: row[4], bytes: row[5])
            sawOwnBounds = sawOwnBounds || !own.isUnbounded
            let oldest = schedule.retention.oldest(own: own, at: now)
            var time: Int64? = row[6]
            if let ahead = time, oldest > .min, RetentionSweep.isAhead(ahead, of: now) {
                time = try firstNotAhead(on: row[0], after: row[7], at: now)?.time
                left -= Self.rowsOfSearch
            }
            if time ?? .max < oldest || schedule.retention.exceeds(events: row[1], bytes: row[2], own: own) {
                schedule.retention.note(row[0])
            }
            return left > 0
        }
        schedule.retention.inspected(count, through: left > 0 ? nil : last, sawOwnBounds: sawOwnBounds, at: now)
    }

    /// Moves the cursors of observers that have nothing to do, so that nobody goes through that part of the log again: of
    /// the next few.
    private func moveCursors(_ limit: Int) throws {
        var left = limit
        while left > 0, let id = schedule.cursors.first {
            guard let observer = observers[id] else {
                schedule.cursors.removeFirst()
                continue
            }
            left -= try 16 + observers.moveCursor(of: observer, scanning: limit, inAll: 16 * limit)
            let before = observer.subscription.cursor
            let after = observers[id]?.subscription.cursor ?? before
            // What stands where it was waits for its endpoint.
            if after == before || after >= events.tail { schedule.cursors.removeFirst() }
        }
        if schedule.cursors.isEmpty { schedule.cursorsMoved() }
    }
}
