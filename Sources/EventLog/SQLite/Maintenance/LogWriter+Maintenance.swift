internal import GRDB

extension LogWriter {
    /// Whether a step of maintenance is due while no post waits.
    var dueMaintenance: WriterPace.Maintenance {
        if maintenanceFailed || !schedule.isDue(isIdle: true, at: clock()) { return .notDue }
        return schedule.hasWrittenNothing ? .due : .dueWhenIdle
    }

    /// Takes one small step of removing what is kept no longer, if one is due.
    func maintain(isIdle: Bool) {
        let now = clock()
        let moment = ContinuousClock.now
        // However often something comes in between: refused posts, say, that wait for room.
        let mayGiveBack = isIdle || diskSpace.isFull
        let isIdle = isIdle || moment - lastStep > Self.longestWait
        let before = schedule
        guard var rows = schedule.begin(isIdle: isIdle, at: now) else { return }
        lastStep = moment
        // On a full disk a step must find room in what the reserve left.
        if diskSpace.isFull { rows = min(rows, MaintenanceSchedule.busyStep) }
        let isDone = maintenance { db in
            try countEvents(db)
            var left = try trimTopics(rows, isIdle: isIdle, at: now, db)
            left = max(left, MaintenanceSchedule.busyStep / 2)
            if schedule.wantsCursors(at: memory.tail) { schedule.cursors = Array(memory.observers.ids) }
            switch schedule.nextChore(mayGiveBack: mayGiveBack, at: now) {
            case .purgeTopics: try purgeTopic(left, db)
            case .purgeObservers: try purgeObserver(left, db)
            case .moveCursors: try moveCursors(left, db)
            case .forgetTopics: try forgetTopics(left, db)
            case .inspect: try inspect(left, at: now, db)
            case .forgetKeys: try forgetKeys(left, at: now, db)
            case .giveBack: try giveBack(left, db)
            case nil: break
            }
        }
        if !isDone { schedule = before }
        maintenanceFailed = !isDone
        finishCommit()
    }

    /// How long maintenance that is due waits at the most.
    private static let longestWait = Duration.milliseconds(100)

    /// Trims topics that hold too much, in turn.
    /// - Returns: how many rows of the step are left.
    private func trimTopics(_ rows: Int, isIdle: Bool, at now: Timestamp, _ db: Database) throws -> Int {
        guard schedule.retention.isOverdue(isIdle: isIdle) else { return rows }
        var left = rows
        var removed: Int64 = 0
        let removal = try nextRemoval(db)
        while left > 0, let topic = schedule.retention.nextOverdue(isIdle: isIdle) {
            guard let trimming = try trim(topic, atMost: left, removal: removal, at: now, db) else {
                left -= 1
                continue
            }
            left -= trimming.rows + 1
            removed = max(removed, trimming.removed)
            if trimming.isEmpty { schedule.mayHaveGoneTopics = true }
            if trimming.isUnfinished { schedule.retention.note(topic) }
        }
        if removed > 0 {
            try record(removal, upTo: removed, db)
            schedule.mayHaveFreePages = true
        }
        return left
    }

    /// The number of a removal in this transaction.
    func nextRemoval(_ db: Database) throws -> Int64 {
        try PreparedStatement(cachedIn: db, "SELECT removals + 1 FROM log").first { $0.integer(0) } ?? 1
    }

    /// Has the removal be the newest.
    func record(_ removal: Int64, upTo removed: Int64, _ db: Database) throws {
        try db.execute(sql: "UPDATE log SET removed = max(removed, ?), removals = ?", arguments: [removed, removal])
    }
}
