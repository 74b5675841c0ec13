internal import GRDB

extension EventReader {
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
        let tail = max(try EventReader.tail(db), position.rawValue)
        var page = PageBuilder(limits: limits, after: position.rawValue, tail: tail)
        if patterns.contains(where: \.hasWildcards) {
            page.lastRemoval = try horizons.lastRemoval(after: position.rawValue, matching: patterns, db)
            try scan(patterns, into: &page)
        } else {
            let names = Set(patterns.compactMap(\.literal))
            let topics = try names.compactMap { try stored($0) }
            page.lastRemoval = topics.filter { $0.removed > position.rawValue }.map(\.removal).max()
            if topics.count < names.count {
                let forgotten = try RemovalHorizons.forgottenRemoval(after: position.rawValue, db)
                page.lastRemoval = [page.lastRemoval, forgotten].compactMap { $0 }.max()
            }
            if let only = topics.first, topics.count == 1 {
                try read(only, into: &page)
            } else {
                try merge(topics, into: &page)
            }
        }
        return page.page
    }

    private mutating func read(_ topic: StoredTopic, into page: inout PageBuilder) throws {
        let statement = try PreparedStatement(
            cachedIn: db,
            """
            SELECT \(Self.columns) FROM event INDEXED BY event_topic
            WHERE topic = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3
            """
        )
        statement.bind(topic.number, at: 1)
        statement.bind(max(page.scannedThrough, topic.removed), at: 2)
        statement.bind(Int64(page.limits.events), at: 3)
        defer { statement.reset() }
        while !page.isFull {
            guard try statement.step() else { return page.reachEnd() }
            page.add(event(statement, topic: topic.topic))
        }
    }

    /// Takes from each topic its next positions, few of them where there are many topics. What lies up to the earliest
    /// end of those lists is known completely.
    private mutating func merge(_ topics: [StoredTopic], into page: inout PageBuilder) throws {
        if topics.isEmpty { return page.reachEnd() }
        let share = min(page.limits.events, max(16, 2 * page.limits.events / topics.count))
        let statement = try PreparedStatement(
            cachedIn: db,
            "SELECT seq FROM event INDEXED BY event_topic WHERE topic = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3"
        )
        var known = page.tail
        var positions: [Int64] = []
        for topic in topics {
            statement.bind(topic.number, at: 1)
            statement.bind(max(page.scannedThrough, topic.removed), at: 2)
            statement.bind(Int64(share), at: 3)
            let before = positions.count
            try statement.forEach { positions.append($0.integer(0)) }
            if positions.count - before == share, let last = positions.last { known = min(known, last) }
        }
        positions.sort()
        for position in positions where position <= known {
            if page.isFull { return }
            if let event = try event(at: Position(position)) { page.add(event) }
        }
        if !page.isFull { page.scannedThrough = known }
    }

    private mutating func scan(_ patterns: [TopicPattern], into page: inout PageBuilder) throws {
        let statement = try PreparedStatement(
            cachedIn: db,
            "SELECT \(Self.columns) FROM event WHERE seq > ?1 ORDER BY seq LIMIT ?2"
        )
        statement.bind(page.scannedThrough, at: 1)
        statement.bind(Int64(page.limits.scanned), at: 2)
        defer { statement.reset() }
        var matches: [Int64: Bool] = [:]
        var scanned = 0
        while !page.isFull {
            guard try statement.step() else {
                if scanned < page.limits.scanned { page.reachEnd() }
                return
            }
            scanned += 1
            let number = statement.integer(1)
            let isMatch: Bool
            if let known = matches[number] {
                isMatch = known
            } else {
                let topic = try stored(number).topic
                isMatch = patterns.contains { $0.matches(topic) }
                matches[number] = isMatch
            }
            if isMatch, let event = try event(statement) {
                page.add(event)
            } else {
                page.scannedThrough = statement.integer(0)
            }
        }
    }
}

/// A page in the making.
private struct PageBuilder {
    let limits: EventReader.PageLimits
    let tail: Int64
    var scannedThrough: Int64
    var lastRemoval: Int64?
    private var events: [Event] = []
    private var bytes = 0

    init(limits: EventReader.PageLimits, after position: Int64, tail: Int64) {
        self.limits = limits
        self.tail = tail
        scannedThrough = position
    }

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

    /// Nothing is left to read.
    mutating func reachEnd() { scannedThrough = tail }
}
