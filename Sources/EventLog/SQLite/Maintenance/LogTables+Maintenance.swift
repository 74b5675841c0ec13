internal import GRDB

extension LogTables {
    /// Trims topics that hold too much, in turn.
    /// - Returns: how many rows of the step are left.
    func trimTopics(_ rows: Int, isIdle: Bool, at now: Timestamp, _ db: Database) throws -> Int {
        guard schedule.retention.isOverdue(isIdle: isIdle) else { return rows }
        var left = rows
        var removed: Int64 = 0
        let removal = try topics.nextRemoval(db)
        while left > 0, let topic = schedule.retention.nextOverdue(isIdle: isIdle) {
            let trimmed = try trim(topic, atMost: left, removal: removal, at: now, db)
            // Whether there may be more to take.
            if let trimmed, trimmed.rows >= left { schedule.retention.note(topic) }
            left -= 1 + (trimmed?.rows ?? 0)
            removed = max(removed, trimmed?.held.removed ?? 0)
            if trimmed?.held.events == 0 { schedule.mayHaveGoneTopics = true }
        }
        if removed > 0 {
            try topics.record(removal, upTo: removed, db)
            schedule.mayHaveFreePages = true
        }
        return left
    }

    /// Does some of what is due beside.
    /// - Parameter limit: the rows to touch, about.
    func performChore(atMost limit: Int, mayGiveBack: Bool, at now: Timestamp, _ db: Database) throws {
        if schedule.wantsCursors(at: events.tail) { schedule.cursors = observers.ids }
        switch schedule.nextChore(mayGiveBack: mayGiveBack, at: now) {
        case .purgeTopics: try topics.purge(limit, noting: &schedule, removed, db)
        case .purgeObservers: try observers.purge(limit, noting: &schedule, db)
        case .moveCursors: try observers.moveCursors(limit, noting: &schedule, db)
        case .forgetTopics: try topics.forgetGone(limit, noting: &schedule, db)
        case .inspect: try topics.inspect(limit, at: now, noting: &schedule.retention, db)
        case .forgetKeys:
            let count = try keys.forget(limit, at: time.placed ?? time.clock.now, noting: &schedule, removed, db)
            guard count < limit else { return }
            // In the same turn: both are rows that have become too old for any use.
            let hasMore = try deliveries.purgeHistory(limit - count, at: now, noting: &schedule, db)
            if !hasMore { schedule.keysForgotten(at: now) }
        case .giveBack: schedule.mayHaveFreePages = try diskSpace.giveBack(limit, db)
        case nil: break
        }
    }
}
