extension LogWriter {
    /// Which drafts were posted before under their keys, by their places, each as the event of that time.
    ///
    /// Also within one append a key stands for one event: a later draft of it is found when the earlier one is written.
    func replays(
        of drafts: [EventDraft],
        _ statements: WriterStatements
    ) throws -> Result<[Int: Event], EventLogError> {
        var found: [Int: Event] = [:]
        var fingerprints: [TopicKey: [UInt8]] = [:]
        for (place, draft) in drafts.enumerated() {
            guard let key = draft.idempotencyKey else { continue }
            let topicKey = TopicKey(draft.topic, key)
            var known = fingerprints[topicKey]
            if let used = try use(of: key, on: draft.topic, statements) {
                known = used.fingerprint
                found[place] = event(of: draft, at: used.event, used.time)
            }
            if let known, known != key.fingerprint {
                return .failure(
                    EventLogError(
                        code: EventLogError.idempotencyConflict,
                        message: "The key \"\(key.text)\" was used for another post within 24 hours.",
                        place: place
                    )
                )
            }
            fingerprints[topicKey] = key.fingerprint
        }
        return .success(found)
    }

    /// Writes those drafts of an append that are no replays, and their keys.
    /// - Returns: the events of all.
    func insertNew(
        _ drafts: [EventDraft],
        _ replays: [Int: Event],
        at time: Timestamp,
        to events: inout [Event],
        _ statements: WriterStatements
    ) throws -> [Event] {
        var written: [TopicKey: Event] = [:]
        return try drafts.enumerated().map { place, draft in
            if let replay = replays[place] { return replay }
            guard let key = draft.idempotencyKey else {
                let event = try insert(draft, at: time, statements)
                events.append(event)
                return event
            }
            let topicKey = TopicKey(draft.topic, key)
            if let earlier = written[topicKey] { return earlier }
            let event = try insert(draft, at: time, statements)
            events.append(event)
            written[topicKey] = event
            try keep(key, of: event, statements)
            return event
        }
    }

    private func keep(_ key: IdempotencyKey, of event: Event, _ statements: WriterStatements) throws {
        func bind(_ row: PreparedStatement) throws {
            row.bind(try enter(event.topic, statements), at: 1)
            row.bind(key.text, at: 2)
            row.bind(key.fingerprint, at: 3)
            row.bind(event.position.rawValue, at: 4)
            row.bind(event.time.milliseconds, at: 5)
            row.bind(begunAt.milliseconds, at: 6)
        }
        try bind(statements.insertKey)
        var isNew = false
        try statements.insertKey.forEach { _ in isNew = true }
        if isNew {
            memory.held.keys += 1
        } else {
            // One that is too old, or of a topic that was deleted, and still has its row.
            try bind(statements.replaceKey)
            try statements.replaceKey.run()
        }
    }

    private func use(
        of key: IdempotencyKey,
        on topic: Topic,
        _ statements: WriterStatements
    ) throws -> (fingerprint: [UInt8], event: Int64, time: Timestamp)? {
        guard let known = try known(topic, statements) else { return nil }
        let row = statements.findKey
        row.bind(known.number, at: 1)
        row.bind(key.text, at: 2)
        row.bind(begunAt.milliseconds - IdempotencyKey.lifetime, at: 3)
        return try row.first { ($0.bytes(0), $0.integer(1), Timestamp(milliseconds: $0.integer(2))) }
    }
}

/// Keys are the same if their bytes are, as they are for the table.
private struct TopicKey: Hashable {
    private let topic: Topic
    private let bytes: [UInt8]

    init(_ topic: Topic, _ key: IdempotencyKey) {
        self.topic = topic
        bytes = Array(key.text.utf8)
    }
}
