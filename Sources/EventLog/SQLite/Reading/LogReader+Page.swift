internal import GRDB

extension LogReader {
    /// What a page may hold and look at.
    struct PageLimits {
        var events: Int
        var bytes: Int
        var scanned: Int
    }

    /// Reads a page: of one topic by the index, of several by merging the index, of patterns by going through the
    /// sequence.
    mutating func page(
        after position: Position,
        matching patterns: [TopicPattern],
        limits: PageLimits,
        horizons: RemovalHorizons
    ) throws -> EventPage {
        let tail = max(try LogReader.tail(db), position.rawValue)
        var page = PageBuilder(limits: limits, tail: tail, scannedThrough: position.rawValue)
        var removals = [horizons.restoration(after: position.rawValue)]
        if patterns.contains(where: \.hasWildcards) {
            removals.append(try horizons.lastRemoval(after: position.rawValue, matching: patterns, db))
            try scan(patterns, into: &page)
        } else {
            let names = Set(patterns.compactMap(\.literal))
            let topics = try names.compactMap { try stored($0) }
            removals += topics.filter { $0.removed > position.rawValue }.map(\.removal)
            if topics.count < names.count {
                removals.append(try RemovalHorizons.forgottenRemoval(after: position.rawValue, db))
            }
            if topics.count == 1 {
                try read(topics[0], into: &page)
            } else {
                try merge(topics, into: &page)
            }
        }
        page.lastRemoval = removals.compactMap { $0 }.max()
        return page.page
    }

    private mutating func read(_ topic: StoredTopic, into page: inout PageBuilder) throws {
        let rows = try db.cached(
            """
            SELECT \(Self.columns) FROM event INDEXED BY event_topic
            WHERE topic = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3
            """
        ).bind(topic.number, max(page.scannedThrough, topic.removed), page.limits.events)
        try rows.prefix { row in
            page.add(event(row, topic: topic.topic))
            return !page.isFull
        }
        if !page.isFull { page.scannedThrough = page.tail }
    }

    private mutating func merge(_ topics: [StoredTopic], into page: inout PageBuilder) throws {
        let wanted = LookedFor(count: page.limits.events)
        let rest = Stretch(after: page.scannedThrough, through: page.tail)
        let found = try search(rest, for: wanted, on: topics, scanning: 2 * page.limits.events)
        for position in found.positions {
            if page.isFull { return }
            if let event = try event(at: Position(position)) { page.add(event) }
        }
        if !page.isFull { page.scannedThrough = found.end ?? page.tail }
    }

    private mutating func scan(_ patterns: [TopicPattern], into page: inout PageBuilder) throws {
        let (rest, limit) = (Stretch(after: page.scannedThrough, through: page.tail), page.limits.scanned)
        let end = try scan(Self.columns, in: rest, matching: patterns, limit: limit) { reader, row, topic in
            page.add(reader.event(row, topic: topic))
            return !page.isFull
        }
        page.scannedThrough = end ?? page.tail
    }
}

/// A page in the making.
private struct PageBuilder {
    let limits: LogReader.PageLimits
    let tail: Int64
    var scannedThrough: Int64
    var lastRemoval: Int64?
    var events: [Event] = []
    var bytes = 0

    var isFull: Bool { events.count >= limits.events || (bytes >= limits.bytes && !events.isEmpty) }

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
