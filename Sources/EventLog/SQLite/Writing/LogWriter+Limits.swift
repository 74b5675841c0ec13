internal import GRDB

/// Topics, observers and idempotency keys are counted by the writer alone, within its transactions: so the numbers are
/// exact however many post at once, and go back with a transaction that fails.
extension LogWriter {
    /// Takes in how much the tables hold, when the log is opened: as it was noted, or counted if the log was not closed in
    /// order. That reads much of the file.
    func readHeld(_ db: Database) throws {
        let noted = try PreparedStatement(db, "SELECT held_topics, held_keys FROM log").first { row in
            row.isNull(0) || row.isNull(1) ? nil : (topics: Int(row.integer(0)), keys: Int(row.integer(1)))
        }
        memory.held.isNoted = noted.flatMap(\.self) != nil
        let held = try noted.flatMap(\.self) ?? countHeld(db)
        memory.held.topics = try held.topics - uncountedTopics(db)
        memory.held.keys = held.keys
    }

    /// Notes how much the tables hold, as the last change before the log is closed.
    func noteHeld(_ db: Database) throws {
        try db.execute(
            sql: "UPDATE log SET held_topics = ?, held_keys = ?",
            arguments: [memory.held.topics + uncountedTopics(db), memory.held.keys]
        )
    }

    /// Has what was noted count no more, as the first change of all.
    func forgetHeld(_ db: Database) throws {
        guard memory.held.isNoted else { return }
        try db.execute(sql: "UPDATE log SET held_topics = NULL, held_keys = NULL")
        memory.held.isNoted = false
    }

    private func countHeld(_ db: Database) throws -> (topics: Int, keys: Int) {
        func number(_ sql: String) throws -> Int {
            Int(try PreparedStatement(db, sql).first { $0.integer(0) } ?? 0)
        }
        var topics = try number("SELECT count(*) FROM topic WHERE \(Schema.isThere)")
        // Those that have nothing but events which their counters do not show.
        let row = try PreparedStatement(db, "SELECT \(Schema.isThere) FROM topic WHERE id = ?1")
        for topic in memory.counting.uncounted {
            row.bind(topic, at: 1)
            if try row.first({ $0.integer(0) == 0 }) ?? false { topics += 1 }
        }
        return (topics, try number("SELECT count(*) FROM idempotency"))
    }

    /// How many of ``SQLiteEventLog/Limits/uncountedTopics`` are there.
    private func uncountedTopics(_ db: Database) throws -> Int {
        let row = try PreparedStatement(db, "SELECT id, \(Schema.isThere) FROM topic WHERE name = ?1")
        return try limits.uncountedTopics.count { topic in
            row.bind(topic.name, at: 1)
            return try row.first { $0.integer(1) != 0 || memory.counting.has($0.integer(0)) } ?? false
        }
    }

    /// Why an append would be more than the log may hold; nil if it is not.
    ///
    /// - Parameter replays: the places of drafts that are not stored again.
    func excess(
        of drafts: [EventDraft],
        _ replays: [Int: Event],
        _ statements: WriterStatements
    ) throws -> EventLogError? {
        let mayMakeTopics = memory.held.topics + drafts.count > limits.topics
        let mayAddKeys = memory.held.keys + drafts.count > limits.idempotencyKeys
        // As a rule there is room for all of them, and they are not looked at.
        guard mayMakeTopics || mayAddKeys else { return nil }
        var topics: Set<Topic> = []
        var keys = 0
        for (place, draft) in drafts.enumerated() where replays[place] == nil {
            if mayMakeTopics, isCounted(draft.topic), !topics.contains(draft.topic),
                try known(draft.topic, statements)?.isThere != true
            {
                topics.insert(draft.topic)
                if let error = excess(ofTopics: topics.count, at: place) { return error }
            }
            if draft.idempotencyKey != nil {
                keys += 1
                if memory.held.keys + keys > limits.idempotencyKeys {
                    return refuse("\(limits.idempotencyKeys) idempotency keys of the last 24 hours", at: place)
                }
            }
        }
        return nil
    }

    /// Why there may not be so many more topics; nil if there may.
    func excess(ofTopics count: Int, at place: Int? = nil) -> EventLogError? {
        memory.held.topics + count > limits.topics ? refuse("\(limits.topics) topics", at: place) : nil
    }

    /// Why there may not be another observer; nil if there may.
    func excessOfObservers() -> EventLogError? {
        memory.observers.count >= limits.observers ? refuse("\(limits.observers) observers") : nil
    }

    private func refuse(_ what: String, at place: Int? = nil) -> EventLogError {
        EventLogError(
            code: EventLogError.limitReached,
            message: "The log has \(what), which is as many as it may have.",
            place: place
        )
    }

    private func isCounted(_ topic: Topic) -> Bool {
        limits.uncountedTopics.isEmpty || !limits.uncountedTopics.contains(topic)
    }

    /// A topic has its first event, or bounds, and had neither.
    func topicAppeared(_ topic: Topic) {
        if isCounted(topic) { memory.held.topics += 1 }
    }

    /// A topic has neither events nor bounds any more.
    func topicVanished(_ topic: Topic) {
        if isCounted(topic) { memory.held.topics -= 1 }
        memory.topics.forget(topic)
    }
}
