extension LogWriter {
    /// Carries out one append: all of it, or nothing and the reason.
    func append(
        _ drafts: [EventDraft],
        if condition: AppendCondition?,
        at time: Timestamp,
        to events: inout [Event],
        _ statements: WriterStatements
    ) throws -> Result<AppendReceipt, EventLogError> {
        let replays: [Int: Event]
        switch try self.replays(of: drafts, statements) {
        case .success(let found): replays = found
        case .failure(let conflict): return .failure(conflict)
        }
        if !drafts.isEmpty, replays.count == drafts.count {
            return .success(AppendReceipt(events: drafts.indices.compactMap { replays[$0] }, isReplay: true))
        }
        if let condition, let topic = drafts.first?.topic {
            if let place = condition.unmetPlace(byNewest: try newest(of: topic, statements)) {
                return .failure(
                    EventLogError(
                        code: EventLogError.valueChanged,
                        message: "The topic's newest event is not the one that was to be replaced.",
                        place: place
                    )
                )
            }
        }
        if let excess = try excess(of: drafts, replays, statements) { return .failure(excess) }
        let start = events.count
        if replays.isEmpty, drafts.allSatisfy({ $0.idempotencyKey == nil }) {
            for draft in drafts { events.append(try insert(draft, at: time, statements)) }
            // The array is shared where one post is the whole group, as it is on an idle hub.
            return .success(AppendReceipt(events: start == 0 ? events : Array(events[start...])))
        }
        return .success(AppendReceipt(events: try insertNew(drafts, replays, at: time, to: &events, statements)))
    }

    /// Writes an event. Who is to get it follows from it, and is nothing that a commit knows.
    func insert(_ draft: EventDraft, at time: Timestamp, _ statements: WriterStatements) throws -> Event {
        let topic = try enter(draft.topic, statements)
        memory.tail += 1
        memory.counting.add(memory.tail, bytes: draft.data.count, to: topic)
        let row = statements.insertEvent
        row.bind(memory.tail, at: 1)
        row.bind(topic, at: 2)
        row.bind(time.milliseconds, at: 3)
        row.bind(draft.type, at: 4)
        row.bind(draft.contentType, at: 5)
        row.bind(draft.attributes, at: 6)
        try row.run(binding: draft.data, at: 7)
        return event(of: draft, at: memory.tail, time)
    }

    func event(of draft: EventDraft, at position: Int64, _ time: Timestamp) -> Event {
        Event(
            id: EventID(epoch: epoch, position: Position(position)),
            topic: draft.topic,
            type: draft.type,
            contentType: draft.contentType,
            data: draft.data,
            attributes: draft.attributes,
            time: time,
            origin: draft.origin
        )
    }

    private func newest(of topic: Topic, _ statements: WriterStatements) throws -> EventID? {
        // Also what this transaction added is in the table already.
        guard let known = try known(topic, statements) else { return nil }
        statements.newestOfTopic.bind(known.number, at: 1)
        return try statements.newestOfTopic.first { EventID(epoch: epoch, position: Position($0.integer(0))) }
    }

    /// The number of a topic, which gets one now if it has none, and which is there from now on: something is being added.
    func enter(_ topic: Topic, _ statements: WriterStatements) throws -> Int64 {
        let known = try known(topic, statements)
        if let known, known.isThere { return known.number }
        let number = try known?.number ?? makeNumber(of: topic, statements)
        topicAppeared(topic)
        memory.topics.remember(TopicNumbers.Known(number: number, isThere: true), for: topic)
        return number
    }

    /// What is known of a topic; nil if it has no number yet.
    func known(_ topic: Topic, _ statements: WriterStatements) throws -> TopicNumbers.Known? {
        if let known = memory.topics.find(topic) { return known }
        statements.findTopic.bind(topic.name, at: 1)
        let known = try statements.findTopic.first { row in
            let number = row.integer(0)
            return TopicNumbers.Known(number: number, isThere: row.integer(1) != 0 || memory.counting.has(number))
        }
        if let known { memory.topics.remember(known, for: topic) }
        return known
    }

    private func makeNumber(of topic: Topic, _ statements: WriterStatements) throws -> Int64 {
        statements.insertTopic.bind(topic.name, at: 1)
        var number: Int64 = 0
        // To the end, not only to the first row: an INSERT is done when it says so.
        try statements.insertTopic.forEach { number = $0.integer(0) }
        return number
    }
}
