/// An observer's place in the log, and what it wants from there on: what a stream has in memory, stored.
///
/// Every event up to the cursor that it was to get has an outcome, or is a delivery of its own. An event after it that is
/// wanted and has none was never tried. (Other logs call this a durable consumer: its floor of acknowledgements, and the
/// exceptions above it.)
struct Subscription: Hashable, Sendable {
    /// The number of the observer, which its deliveries carry.
    let key: Int64
    var cursor: Int64
    /// What it wanted from when on, the earliest first: one entry, and another for each change that the cursor has not
    /// reached.
    var interests: [Interest]

    /// The parts of the sequence after the cursor, up to a position, in each of which it wants the same; the earliest
    /// first.
    func stretches(after: Int64, through: Int64) -> [(interest: Interest, after: Int64, through: Int64)] {
        interests.indices.compactMap { place in
            let interest = interests[place]
            let next = place + 1 < interests.count ? interests[place + 1].since : .max
            let start = max(interest.since, cursor, after)
            let end = min(next, through)
            return interest.topics.isEmpty || start >= end ? nil : (interest, start, end)
        }
    }

    /// Whether it was to get an event, wherever the cursor is.
    func wants(_ topic: Topic, type: String?, at position: Int64) -> Bool {
        interests.last(where: { $0.since < position })?.wants(topic, type: type) ?? false
    }

    /// Whether it was to get such events at any position after its cursor.
    func mayWant(_ topic: Topic, type: String?) -> Bool { interests.contains { $0.wants(topic, type: type) } }

    /// Without what the cursor has passed.
    var current: ArraySlice<Interest> {
        interests.suffix(from: interests.lastIndex { $0.since <= cursor } ?? 0)
    }
}

/// What an observer wants from a position on.
struct Interest: Hashable, Sendable {
    /// The position after which.
    let since: Int64
    /// None if it wants nothing.
    let topics: [TopicPattern]
    let types: EventTypes
    /// What their names take.
    let bytes: Int

    /// What a record asks for from a position on.
    init(of record: ObserverRecord, since position: Int64) {
        let (topics, types) = record.receives ? (record.topics, record.types) : ([], [])
        self.init(since: position, topics: topics, types: types)
    }

    init(since: Int64, topics: [TopicPattern], types: [String]) {
        (self.since, self.topics, self.types) = (since, topics, EventTypes(types))
        bytes = topics.reduce(0) { $0 + $1.text.utf8.count } + types.reduce(0) { $0 + $1.utf8.count }
    }

    func wants(_ topic: Topic, type: String?) -> Bool {
        topics.contains { $0.matches(topic) } && types.contain(type)
    }

    func isOf(_ record: ObserverRecord) -> Bool { self == Interest(of: record, since: since) }
}
