extension SQLiteEventLog {
    /// Reads on from a position: see ``EventLog/read(after:matching:limit:byteLimit:)``.
    public func read(
        after position: Position,
        matching patterns: [TopicPattern],
        limit: Int,
        byteLimit: Int
    ) async throws(EventLogError) -> EventPage {
        let limits = EventReader.PageLimits(
            events: max(limit, 1),
            bytes: max(byteLimit, 1),
            scanned: max(self.limits.scannedEvents, 1)
        )
        return try await read { [epoch, horizons] db in
            var reader = EventReader(db, epoch: epoch)
            return try reader.page(after: position, matching: patterns, limits: limits, horizons: horizons)
        }
    }

    /// The event of an id.
    public func event(_ id: EventID) async throws(EventLogError) -> Event? {
        guard id.epoch == epoch else { return nil }
        return try await read { [epoch] db in
            var reader = EventReader(db, epoch: epoch)
            return try reader.event(at: id.position)
        }
    }

    /// The newest event of a topic.
    public func lastEvent(of topic: Topic) async throws(EventLogError) -> Event? {
        try await read { [epoch] db in
            var reader = EventReader(db, epoch: epoch)
            return try reader.lastEvent(of: topic)
        }
    }

    /// The oldest event that any of the patterns matches.
    public func earliest(matching patterns: [TopicPattern]) async throws(EventLogError) -> Event? {
        var position = Position.start
        while true {
            let page = try await read(after: position, matching: patterns, limit: 1, byteLimit: .max)
            if let event = page.events.first { return event }
            if page.isLast { return nil }
            position = page.scannedThrough
        }
    }

    /// The position of the newest event that any of the patterns matches.
    public func newest(matching patterns: [TopicPattern]) async throws(EventLogError) -> Position? {
        try await read { [epoch] db in
            var reader = EventReader(db, epoch: epoch)
            return try reader.newest(matching: patterns)
        }
    }

    /// The position just before the newest events that match: see
    /// ``EventLog/position(beforeNewest:matching:types:)``.
    public func position(
        beforeNewest count: Int,
        matching patterns: [TopicPattern],
        types: [String]
    ) async throws(EventLogError) -> Position {
        let limit = max(limits.scannedEvents, 1)
        var wanted = EventReader.LookedFor(patterns: patterns, types: EventTypes(types), count: max(count, 1))
        var place = Int64.max
        var oldest: Int64?
        var tail: Int64?
        // Part by part, like reading on: no snapshot is held for long, however rare the events are.
        // Whoever cancels the task does not want the position any more.
        while place > 0, wanted.count > 0, !Task.isCancelled {
            let (part, end) = try await read { [epoch, wanted, place] db in
                var reader = EventReader(db, epoch: epoch)
                let before = EventReader.Stretch(after: 0, through: place, newestFirst: true)
                let part = try reader.search(before, for: wanted, scanning: limit)
                return (part, try EventReader.tail(db))
            }
            tail = tail ?? end
            oldest = part.positions.last ?? oldest
            wanted.count -= part.positions.count
            place = part.end.map { $0 - 1 } ?? 0
        }
        return Position(oldest.map { $0 - 1 } ?? tail ?? 0)
    }

    /// The position just before the first event at or after a moment.
    public func position(since moment: Timestamp) async throws(EventLogError) -> Position {
        try await read { [epoch] db in
            try EventReader(db, epoch: epoch).position(since: moment)
        }
    }
}
