extension SQLiteEventLog {
    /// The event of an id.
    public func event(_ id: EventID) async throws(EventLogError) -> Event? {
        id.epoch == epoch ? try await read { reader in try reader.event(at: id.position) } : nil
    }

    /// The newest event of a topic.
    public func lastEvent(of topic: Topic) async throws(EventLogError) -> Event? {
        try await read { reader in try reader.lastPosition(of: topic).flatMap { try reader.event(at: $0) } }
    }

    /// The position of the newest event that any of the patterns matches.
    public func newest(matching patterns: [TopicPattern]) async throws(EventLogError) -> Position? {
        guard patterns.contains(where: \.hasWildcards) else {
            return try await read { reader in
                try patterns.compactMap(\.literal).compactMap { try reader.lastPosition(of: $0) }.max()
            }
        }
        return try await readSlice { reader, _ in try reader.newest(matching: patterns) }
    }

    /// The position just before the newest events that match: see
    /// ``EventLog/position(beforeNewest:matching:types:)``.
    public func position(
        beforeNewest count: Int,
        matching patterns: [TopicPattern],
        types: [String]
    ) async throws(EventLogError) -> Position {
        let limit = max(limits.scannedEvents, 1)
        var wanted = LogReader.LookedFor(patterns: patterns, types: EventTypes(types), count: max(count, 1))
        var place = Int64.max
        var oldest: Int64?
        var tail: Int64?
        // Part by part, like reading on: no snapshot is held for long, however rare the events are.
        // Whoever cancels the task does not want the position any more.
        while place > 0, wanted.count > 0, !Task.isCancelled {
            let (part, end) = try await read { [wanted, place] reader in
                let before = LogReader.Stretch(after: 0, through: place, newestFirst: true)
                let part = try reader.search(before, for: wanted, scanning: limit)
                return (part, try LogReader.tail(reader.db))
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
        try await read { reader in
            let tail = try LogReader.tail(reader.db)
            let next = try reader.db.cached("SELECT seq, time FROM event WHERE seq > ?1 ORDER BY seq LIMIT 1")
            // Times do not step back along the sequence, so it is found by halving, without an index. Every event up to `low`
            // is earlier; none up to `high` that is later than `low` need be looked at again.
            var (low, high) = (Int64(0), tail)
            while low < high {
                let middle = low + (high - low) / 2
                let found = try next.bind(middle).first { (seq: $0.integer(0), time: $0[1] as Timestamp) }
                if let found, found.time < moment {
                    low = found.seq
                } else {
                    high = middle
                }
            }
            return Position(try next.bind(low).first { _ in low } ?? tail)
        }
    }

    /// Whether a position was given to an event. One may be read from the log a moment before its tail is moved on;
    /// reading nothing answers the tail that is stored.
    public func hasReached(_ position: Position) async throws(EventLogError) -> Bool {
        if position <= tail { return true }
        return position <= (try await read(after: .start, matching: [], limit: 1, byteLimit: 1)).tail
    }
}
