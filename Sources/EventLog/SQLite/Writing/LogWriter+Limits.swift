internal import GRDB

/// Topics, observers and idempotency keys are counted by the writer alone, within its transactions: so the numbers are
/// exact however many post at once, and go back with a transaction that fails.
extension LogWriter {
    /// Counts what the tables hold, when the log is opened.
    func countHeld(_ db: Database) throws {
        var topics = 0
        try PreparedStatement(db, "SELECT count(*) FROM topic WHERE \(Self.isThere)").forEach {
            topics = Int($0.integer(0))
        }
        // Those that have nothing yet but what is not counted.
        let row = try PreparedStatement(db, "SELECT \(Self.isThere) FROM topic WHERE id = ?1")
        for topic in memory.counting.uncounted {
            row.bind(topic, at: 1)
            if try row.first({ $0.integer(0) == 0 }) ?? false { topics += 1 }
        }
        let named = try PreparedStatement(db, "SELECT id, \(Self.isThere) FROM topic WHERE name = ?1")
        for topic in limits.uncountedTopics {
            named.bind(topic.name, at: 1)
            let isThere = try named.first { $0.integer(1) != 0 || memory.counting.has($0.integer(0)) } ?? false
            if isThere { topics -= 1 }
        }
        memory.held.topics = topics
        memory.held.keys = Int(
            try PreparedStatement(db, "SELECT count(*) FROM idempotency").first { $0.integer(0) } ?? 0
        )
    }

    /// Of a row of `topic`: whether it has events that are counted, or bounds.
    static let isThere = "(events > 0 OR coalesce(retain_events, retain_age, retain_bytes) IS NOT NULL)"

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
        usage.refuse()
        return EventLogError(
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
