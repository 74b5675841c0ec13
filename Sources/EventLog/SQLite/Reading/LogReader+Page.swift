import Synchronization

extension SQLiteEventLog {
    /// Reads on from a position, of one topic by the index, of several by merging the index, of patterns by going through
    /// the sequence: see ``EventLog/read(after:matching:limit:byteLimit:)``.
    public func read(
        after position: Position,
        matching patterns: [TopicPattern],
        limit: Int,
        byteLimit: Int
    ) async throws(EventLogError) -> EventPage {
        let (limit, byteLimit, scanned) = (max(limit, 1), max(byteLimit, 1), max(limits.scannedEvents, 1))
        return try await read { [horizons] reader in
            let (db, position) = (reader.db, position.rawValue)
            let tail = max(try LogReader.tail(db), position)
            var page = PageBuilder(limit: limit, byteLimit: byteLimit, tail: tail, scannedThrough: position)
            var removals = [horizons.restoration(after: position)]
            if patterns.contains(where: \.hasWildcards) {
                removals.append(try horizons.lastRemoval(after: position, matching: patterns, db))
                try reader.scan(patterns, limit: scanned, into: &page)
            } else {
                let names = Set(patterns.compactMap(\.literal))
                let topics = try names.compactMap { try reader.stored($0) }
                removals += topics.filter { $0.removed > position }.map(\.removal)
                let isUnknown = horizons.unnoted.load(ordering: .acquiring) > position
                let known = isUnknown ? try topics.filter { try reader.isWhole($0, after: position) } : topics
                if known.count < names.count {
                    removals.append(try RemovalHorizons.forgottenRemoval(after: position, db))
                }
                if topics.count == 1 {
                    try reader.read(topics[0], into: &page)
                } else {
                    try reader.merge(topics, into: &page)
                }
            }
            page.lastRemoval = removals.compactMap { $0 }.max()
            return page.page
        }
    }
}

extension LogReader {
    /// Whether a topic surely has lost nothing after a position: its newest event up to there is none that stays in the sequence
    /// although it was removed, as those with keys do, and those that were appended together with others, next to which they are.
    fileprivate func isWhole(_ topic: StoredTopic, after position: Int64) throws -> Bool {
        let newest = try db.cached(
            """
            SELECT seq, EXISTS (SELECT 1 FROM event AS other WHERE other.seq IN (event.seq - 1, event.seq + 1))
            FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq DESC LIMIT 1
            """
        ).bind(topic.number, topic.removed, position)
        return try newest.first { $0.integer(0) & Placement.keyed == 0 && $0.integer(1) == 0 } ?? false
    }

    fileprivate mutating func read(_ topic: StoredTopic, into page: inout PageBuilder) throws {
        let rows = try db.cached(
            """
            SELECT \(Self.columns) FROM event INDEXED BY event_topic
            WHERE topic = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3
            """
        ).bind(topic.number, max(page.scannedThrough, topic.removed), page.limit)
        try rows.prefix { row in
            page.add(event(row, topic: topic.topic))
            return !page.isFull
        }
        if !page.isFull { page.scannedThrough = page.tail }
    }

    fileprivate mutating func merge(_ topics: [StoredTopic], into page: inout PageBuilder) throws {
        let wanted = LookedFor(count: page.limit)
        let rest = Stretch(after: page.scannedThrough, through: page.tail)
        let found = try search(rest, for: wanted, on: topics, scanning: 2 * page.limit)
        for position in found.positions {
            if page.isFull { return }
            if let event = try event(at: Position(position)) { page.add(event) }
        }
        if !page.isFull { page.scannedThrough = found.end ?? page.tail }
    }

    fileprivate mutating func scan(_ patterns: [TopicPattern], limit: Int, into page: inout PageBuilder) throws {
        let rest = Stretch(after: page.scannedThrough, through: page.tail)
        let (end, _) = try scan(Self.columns, in: rest, matching: patterns, limit: limit) { reader, row, topic in
            page.add(reader.event(row, topic: topic))
            return !page.isFull
        }
        page.scannedThrough = end ?? page.tail
    }
}

/// A page in the making.
private struct PageBuilder {
    let limit: Int
    let byteLimit: Int
    let tail: Int64
    var scannedThrough: Int64
    var lastRemoval: Int64?
    var events: [Event] = []
    var bytes = 0

    var isFull: Bool { events.count >= limit || (bytes >= byteLimit && !events.isEmpty) }

    var page: EventPage {
        EventPage(
            events: events,
            scannedThrough: Position(scannedThrough),
            tail: Position(tail),
            lastRemoval: lastRemoval
        )
    }

    mutating func add(_ event: Event) {
        scannedThrough = event.position.rawValue
        bytes += event.data.count + (event.attributes?.count ?? 0)
        events.append(event)
    }
}
