internal import GRDB

/// The events, and how far their sequence has come.
final class EventWriter {
    let epoch: LogEpoch
    private let time: TimeWriter
    private let topics: TopicWriter
    private let keys: IdempotencyWriter
    private let insert: PreparedStatement
    private let newest: PreparedStatement
    /// The longest an event is kept, in milliseconds, where its topic does not say.
    private let age: Int64?
    /// The position of the newest event written, also by the transaction that is being written.
    private(set) var tail: Int64

    init(_ db: Database, _ time: TimeWriter, _ topics: TopicWriter, _ keys: IdempotencyWriter, age: Int64?) throws {
        let text = try db.cached("SELECT epoch FROM log").first { $0[0] as String }
        guard let epoch = text.flatMap(LogEpoch.init) else {
            throw EventLogError(code: .corrupt, message: "The log does not say who it is.")
        }
        (self.epoch, self.time, self.topics, self.keys, self.age) = (epoch, time, topics, keys, age)
        insert = try db.compiled(
            """
            INSERT INTO event (seq, topic, time, type, content_type, attributes, data)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """
        )
        newest = try db.compiled(
            """
            SELECT seq, event.time, retain_age
            FROM topic CROSS JOIN event INDEXED BY event_topic ON event.topic = topic.id AND seq > removed
            WHERE name = ?1 ORDER BY seq DESC LIMIT 1
            """
        )
        tail = try LogReader.tail(db)
    }

    func goBack(to mark: Int64) { tail = mark }

    /// Has what is written next take the place it was given elsewhere.
    /// - Returns: the time of its events.
    func take(_ placement: Placement) -> Timestamp {
        tail = max(tail, placement.after.rawValue)
        return time.begin(at: placement.time)
    }

    /// Carries out one append.
    /// - Parameter decision: nil for a log of its own.
    /// - Returns: fewer events than drafts if that is written in part, and none if it would be and must not.
    /// - Throws: ``EventLogError`` if nothing of it is written and the transaction goes on.
    func append(
        _ drafts: [EventDraft],
        if condition: AppendCondition?,
        as decision: Placement.Decision?,
        at time: Timestamp,
        to events: inout [Event]
    ) throws -> AppendReceipt {
        if case .written(let places)? = decision {
            let written = try (places ?? Array(drafts.indices)).filter(drafts.indices.contains).map { place in
                try insertKeeping(drafts[place], at: time)
            }
            events += written
            return AppendReceipt(events: written)
        }
        let replays = try replays(of: drafts)
        if case .whole(let used)? = decision {
            let isInPart = !replays.isEmpty && replays.count < drafts.count
            if try isInPart || !used.allSatisfy(isUsed) { return AppendReceipt(events: [], isReplay: true) }
        }
        if !drafts.isEmpty, replays.count == drafts.count {
            return AppendReceipt(events: drafts.indices.compactMap { replays[$0] }, isReplay: true)
        }
        if let condition, let topic = drafts.first?.topic,
            // Also what this transaction added is in the table already.
            let place = condition.unmetPlace(byNewest: try newest(of: topic, isCopy: decision != nil))
        {
            throw EventLogError(
                code: .valueChanged,
                message: "The topic's newest event is not the one that was to be replaced.",
                place: place
            )
        }
        // What comes to a copy was admitted by who posted it, and is in all others.
        if decision == nil { try checkLimits(adding: drafts, replays) }
        let start = events.count
        if replays.isEmpty, drafts.allSatisfy({ $0.idempotencyKey == nil }) {
            for draft in drafts { events.append(try insert(draft, at: time)) }
            // The array is shared where one post is the whole group, as it is on an idle hub.
            return AppendReceipt(events: start == 0 ? events : Array(events[start...]))
        }
        return AppendReceipt(events: try insertNew(drafts, replays, at: time, to: &events))
    }

    /// Refuses drafts that would be more than the log may hold, or have a key of another post.
    /// - Returns: those that were posted before, by their places.
    func admit(_ drafts: [EventDraft]) throws -> [Int: Event] {
        let replays = try replays(of: drafts)
        try checkLimits(adding: drafts, replays)
        return replays
    }

    /// The newest event of a topic. In a copy those that are too old are gone at the same place of the sequence everywhere,
    /// and not only when their turn comes to be removed.
    private func newest(of topic: Topic, isCopy: Bool) throws -> EventID? {
        let found: (position: Position, time: Int64, age: Int64?)? = try newest.bind(topic).first {
            ($0[0], $0.integer(1), $0[2])
        }
        guard let found else { return nil }
        if isCopy, let age = found.age ?? age, found.time < time.decidedAt.milliseconds - max(age, 0) { return nil }
        return EventID(epoch: epoch, position: found.position)
    }

    private func insertKeeping(_ draft: EventDraft, at time: Timestamp) throws -> Event {
        let event = try insert(draft, at: time)
        if let key = draft.idempotencyKey {
            try keys.keep(key, of: event, on: topics.enter(event.topic), at: self.time.begunAt)
        }
        return event
    }

    /// Writes an event. Who is to get it follows from it, and is nothing that a commit knows.
    private func insert(_ draft: EventDraft, at time: Timestamp) throws -> Event {
        let topic = try topics.enter(draft.topic)
        tail += 1
        topics.add(tail, bytes: draft.data.count, to: topic)
        insert.bind(tail, at: 1)
        insert.bind(topic, at: 2)
        insert.bind(time.milliseconds, at: 3)
        insert.bind(draft.type, at: 4)
        insert.bind(draft.contentType, at: 5)
        insert.bind(draft.attributes, at: 6)
        try insert.run(binding: draft.data, at: 7)
        self.time.wrote(at: time)
        return event(of: draft, at: tail, time)
    }

    private func event(of draft: EventDraft, at position: Int64, _ time: Timestamp) -> Event {
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

    /// Which drafts were posted before under their keys, by their places, each as the event of that time.
    ///
    /// Also within one append a key stands for one event: a later draft of it is found when the earlier one is written.
    private func replays(of drafts: [EventDraft]) throws -> [Int: Event] {
        var found: [Int: Event] = [:]
        var fingerprints: [TopicKey: [UInt8]] = [:]
        for (place, draft) in drafts.enumerated() {
            guard let key = draft.idempotencyKey, let topicKey = TopicKey(of: draft) else { continue }
            var known = fingerprints[topicKey]
            if let number = try topics.known(draft.topic)?.number,
                let used = try keys.use(of: key, on: number, at: time.decidedAt)
            {
                known = used.fingerprint
                found[place] = event(of: draft, at: used.event, used.time)
            }
            if let known, known != key.fingerprint {
                throw EventLogError(
                    code: .idempotencyConflict,
                    message: "The key \"\(key.text)\" was used for another post within 24 hours.",
                    place: place
                )
            }
            fingerprints[topicKey] = key.fingerprint
        }
        return found
    }

    private func isUsed(_ used: UsedKey) throws -> Bool {
        guard let number = try topics.known(used.topic)?.number else { return false }
        let key = IdempotencyKey(used.text, fingerprint: [])
        return try keys.use(of: key, on: number, at: time.decidedAt)?.event == used.event.rawValue
    }

    /// Writes those drafts of an append that are no replays, and their keys.
    /// - Returns: the events of all.
    private func insertNew(
        _ drafts: [EventDraft],
        _ replays: [Int: Event],
        at time: Timestamp,
        to events: inout [Event]
    ) throws -> [Event] {
        var written: [TopicKey: Event] = [:]
        return try drafts.enumerated().map { place, draft in
            let topicKey = TopicKey(of: draft)
            if let known = replays[place] ?? topicKey.flatMap({ written[$0] }) { return known }
            let event = try insertKeeping(draft, at: time)
            events.append(event)
            if let topicKey { written[topicKey] = event }
            return event
        }
    }

    /// Refuses an append that would be more than the log may hold.
    /// - Parameter replays: the places of drafts that are not stored again.
    private func checkLimits(adding drafts: [EventDraft], _ replays: [Int: Event]) throws {
        let mayMakeTopics = !topics.quota.mayAdd(drafts.count)
        // As a rule all of them may be added, and they are not looked at.
        guard mayMakeTopics || !keys.quota.mayAdd(drafts.count) else { return }
        var newTopics: Set<Topic> = []
        var newKeys = 0
        for (place, draft) in drafts.enumerated() where replays[place] == nil {
            if mayMakeTopics, topics.isCounted(draft.topic), try topics.known(draft.topic)?.isThere != true,
                newTopics.insert(draft.topic).inserted
            {
                try topics.quota.check(adding: newTopics.count, at: place)
            }
            if draft.idempotencyKey != nil {
                newKeys += 1
                try keys.quota.check(adding: newKeys, at: place)
            }
        }
    }
}
