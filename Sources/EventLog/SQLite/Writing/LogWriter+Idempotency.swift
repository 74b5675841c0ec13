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
            if let number = try self.known(draft.topic, statements)?.number,
                let used = try statements.keys.use(of: key, on: number, at: begunAt)
            {
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
            let number = try enter(event.topic, statements)
            if try statements.keys.keep(key, of: event, on: number, at: begunAt) { memory.held.keys += 1 }
            return event
        }
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
