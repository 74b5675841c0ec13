internal import GRDB

/// The durable observers, and how far each has come: what is in memory always says what the tables do, seen from inside the
/// transaction that is being written.
final class ObserverWriter {
    let db: Database
    let events: EventWriter
    let limits: SQLiteEventLog.Limits
    private var observers: [ObserverID: RegisteredObserver] = [:]
    private var index = TopicPatternIndex<ObserverID>()
    /// What the documents of all of them take, and what they want, or wanted where their cursors are.
    private var bytes = 0
    /// What the transaction has changed, as it was before.
    private var changes: [(id: ObserverID, before: RegisteredObserver?)] = []

    init(_ db: Database, _ limits: SQLiteEventLog.Limits, _ events: EventWriter) throws {
        (self.db, self.limits, self.events) = (db, limits, events)
        let records = try db.cached("SELECT \(ObserverRecord.columns) FROM observer WHERE name IS NOT NULL")
            .map(ObserverRecord.init)
        for record in records {
            guard let subscription = try Subscription(of: record.id, db) else { continue }
            _ = set(record.id, to: RegisteredObserver(record, subscription))
        }
    }

    var mark: Int { changes.count }

    func goBack(to mark: Int) {
        while changes.count > mark, let change = changes.popLast() { _ = set(change.id, to: change.before) }
    }

    func commit() {
        if !changes.isEmpty { changes = [] }
    }

    /// Reads what the transaction has written, too.
    var reader: LogReader { LogReader(db, epoch: events.epoch) }

    var count: Int { observers.count }

    /// The ids in some order that stays while none comes or goes.
    var ids: [ObserverID] { Array(observers.keys) }

    /// The ids of those that are registered for exactly this topic or pattern.
    func ids(of pattern: TopicPattern) -> [ObserverID] {
        observers.values.filter { $0.topics.contains(pattern) }.map(\.id)
    }

    /// Those that may still wait for events of a topic.
    func subscriptions(to topic: Topic) -> [Subscription] {
        observers.isEmpty ? [] : index.matches(topic).compactMap { observers[$0]?.subscription }
    }

    /// What is known of an observer, which its rows say, too.
    subscript(id: ObserverID) -> RegisteredObserver? {
        get { observers[id] }
        set { changes.append((id, set(id, to: newValue))) }
    }

    /// - Returns: what there was.
    private func set(_ id: ObserverID, to observer: RegisteredObserver?) -> RegisteredObserver? {
        let before = observers[id]
        observers[id] = observer
        bytes += (observer?.documentBytes ?? 0) - (before?.documentBytes ?? 0)
        // Mostly it is the cursor that moves.
        if let before, let observer, before.subscription.interests == observer.subscription.interests { return before }
        bytes += (observer?.interestBytes ?? 0) - (before?.interestBytes ?? 0)
        for pattern in before?.patterns ?? [] { index.remove(id, for: pattern) }
        for pattern in observer?.patterns ?? [] { index.insert(id, for: pattern) }
        return before
    }

    /// Refuses an observer that would be one more than there may be, take more than there may be, or want something else once
    /// more than it may.
    func admit(_ record: ObserverRecord) throws {
        let present = self[record.id]
        if present == nil { try Quota(name: "observers", limit: limits.observers, count: count).check(adding: 1) }
        let interests = present?.subscription.interests ?? []
        // Whatever there is, an observer can be disabled.
        guard record.receives else { return }
        let isChange = interests.last.map { $0.isOf(record) } != true
        let wanted = isChange ? Interest(of: record, since: 0).bytes : 0
        let more = record.document.count - (present?.documentBytes ?? 0) + wanted
        let own = (present?.documentBytes ?? 0) + (present?.interestBytes ?? 0) + more
        // Others' large ones keep nobody from an ordinary one, or from a new secret for it.
        if more > 0, own > SQLiteEventLog.Limits.observerShare {
            try Quota(name: "bytes of observers", limit: limits.observerBytes, count: bytes).check(adding: more)
        }
        guard isChange, interests.count >= 2 * limits.interests else { return }
        throw EventLogError(
            code: .limitReached,
            message: """
                What is registered was changed \(interests.count) times since the oldest event that waits to be \
                delivered to it: have it catch up first.
                """
        )
    }

    /// Saves an observer; see ``ObserverStore/saveObserver(_:expecting:resettingFailures:)``.
    /// - Parameter revision: the one it gets; nil for the next of this log.
    func save(
        _ record: ObserverRecord,
        expecting: Int64?,
        resettingFailures: Bool,
        as revision: Int64?
    ) throws -> SavedObserver {
        let present = try find(record.id, expecting: expecting)
        if present == nil, let expecting, expecting != 0 {
            throw EventLogError(code: .revisionChanged, message: "There is no such observer.")
        }
        var saved = record
        saved.createdAt = present?.record.createdAt ?? record.createdAt
        // What comes to a copy was admitted by who asked for it, and has the revision that all copies give it.
        if revision == nil {
            saved.revision = present?.record.revision ?? 0
            // Who has read the observer goes on to know what is there.
            if saved == present?.record, !resettingFailures {
                return SavedObserver(record: saved, created: false, tried: try reader.deliveryCounters(of: saved.id))
            }
            try admit(record)
        }
        try db.run("UPDATE log SET revision = ifnull(?1, revision + 1)", revision)
        saved.revision = try db.number("SELECT revision FROM log")
        try db.cached(
            """
            INSERT INTO observer (name, topics, types, receives, document, created_at, revision)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (name) DO UPDATE SET (topics, types, receives, document, revision) = (?2, ?3, ?4, ?5, ?7)
            """
        ).bind(saved.id, saved.topicLines, saved.typeLines, saved.receives, saved.document)
            .bind(saved.createdAt, saved.revision, from: 6).run()
        let key = present?.key ?? db.lastInsertedRowID
        if present == nil {
            try db.run("INSERT INTO delivery_stats (observer, cursor) VALUES (?1, ?2)", key, events.tail)
        } else if resettingFailures {
            try db.run("UPDATE delivery_stats SET failing_since = NULL, failing_for = 0 WHERE observer = ?1", key)
        }
        if let observer = self[saved.id] { try shortenInterests(of: observer) }
        let new = Subscription(key: key, cursor: events.tail, interests: [])
        var subscription = self[saved.id]?.subscription ?? new
        subscription.interests = try setInterest(saved, of: key, after: subscription.interests)
        self[saved.id] = RegisteredObserver(saved, subscription)
        // Read here: what was saved is answered whatever fails later. Nothing is counted: posts wait for this.
        let tried = try reader.deliveryCounters(of: saved.id)
        return SavedObserver(record: saved, created: present == nil, tried: tried)
    }

    /// Takes an observer out: it gets no more deliveries, and those it has are left for maintenance.
    /// - Parameter revision: one of a later revision is left.
    /// - Returns: whether there was one.
    func remove(_ id: ObserverID, expecting: Int64?, through revision: Int64 = .max) throws -> Bool {
        guard let present = try find(id, expecting: expecting), present.record.revision <= revision else {
            return false
        }
        try db.run("UPDATE observer SET name = NULL WHERE key = ?1", present.key)
        self[id] = nil
        return true
    }

    private func find(_ id: ObserverID, expecting: Int64?) throws -> (key: Int64, record: ObserverRecord)? {
        let found = try db.cached("SELECT \(ObserverRecord.columns) FROM observer WHERE name = ?1", id)
            .first { (key: $0.integer(7), record: ObserverRecord($0)) }
        if let expecting, let found, found.record.revision != expecting {
            throw EventLogError(code: .revisionChanged, message: "The observer was changed meanwhile.")
        }
        return found
    }
}
