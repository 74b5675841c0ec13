public import EventLog

/// What is read comes from this node's copy.
extension JetStreamLog {
    /// Reads on from a position: see ``EventLog/read(after:matching:limit:byteLimit:)``.
    public func read(
        after position: Position,
        matching patterns: [TopicPattern],
        limit: Int,
        byteLimit: Int
    ) async throws(EventLogError) -> EventPage {
        try await index.read(after: position, matching: patterns, limit: limit, byteLimit: byteLimit)
    }

    /// The event of an id.
    /// - Throws: ``EventLogError`` with code `log-unavailable` also if it may be yet to come: see ``hasReached(_:)``.
    public func event(_ id: EventID) async throws(EventLogError) -> Event? {
        if let event = try await index.event(id) { return event }
        guard id.epoch == epoch, id.position > tail, try await hasReached(id.position) else { return nil }
        if id.position > tail { throw .isBehind }
        return try await index.event(id)
    }

    /// The newest event of a topic.
    public func lastEvent(of topic: Topic) async throws(EventLogError) -> Event? {
        try await index.lastEvent(of: topic)
    }

    /// The position of the newest event that any of the patterns matches.
    public func newest(matching patterns: [TopicPattern]) async throws(EventLogError) -> Position? {
        try await index.newest(matching: patterns)
    }

    /// The position just before the newest events that match: see
    /// ``EventLog/position(beforeNewest:matching:types:)``.
    public func position(
        beforeNewest count: Int,
        matching patterns: [TopicPattern],
        types: [String]
    ) async throws(EventLogError) -> Position {
        let position = try await index.position(beforeNewest: count, matching: patterns, types: types)
        // Nothing has the place before the first event of a message. As in a log that counts one after the other, clients are
        // told of the event before it, unless some that they asked for is gone in between: they would be told of a gap.
        guard replica.isBetweenMessages(position), let event = try await index.newestEvent(before: position) else {
            return position
        }
        let rest = try await index.read(after: event, matching: patterns, limit: 1, byteLimit: 1)
        return rest.hasGap ? position : event
    }

    /// The position just before the first event at or after a moment.
    public func position(since moment: Timestamp) async throws(EventLogError) -> Position {
        try await index.position(since: moment)
    }

    /// Whether a position was given to an event, here or at a node that is ahead of this one. Waits until this one has taken
    /// what there is, for some seconds. If it cannot, who comes with the id is believed: he would be sent everything anew.
    public func hasReached(_ position: Position) async throws(EventLogError) -> Bool {
        if position <= tail { return true }
        let asked = ContinuousClock.now
        // What another node has told of comes within moments. Who makes an id up waits as long, so that one message for all who do is
        // written in that time.
        if try await !hasTaken(replica.numbering.message(of: position), within: .milliseconds(50)) {
            guard refusal == nil, let newest = try? await probes.ask(.since(asked)), try await hasTaken(newest) else {
                return true
            }
        }
        return try await index.hasReached(position)
    }

    /// Whether this node has taken a message, and what is before it, within some time.
    func hasTaken(_ sequence: UInt64, within time: Duration = .seconds(5)) async throws(EventLogError) -> Bool {
        let deadline = ContinuousClock.now + time
        while replica.taken < sequence {
            guard ContinuousClock.now < deadline, (try? await Task.sleep(for: .milliseconds(2))) != nil else {
                return false
            }
        }
        // In its turn: after what was taken.
        try await index.probe()
        return true
    }

    /// Sees whether the cluster takes what is written, by writing a message that says nothing, and whether what was written
    /// some seconds ago has come back. Who asks within a second of another is told what that one was: each such message is
    /// written by all servers, and anybody may ask.
    public func probe() async throws(EventLogError) {
        if let trouble = refusal ?? replica.stagnation ?? replica.fullness { throw trouble }
        guard publisher.isConnected else { throw EventLogError(NATSError("not connected")) }
        // Who was refused for want of room meanwhile may ask why.
        let isDoubtful = publisher.hasRefused(within: ProbeTurns<Probes.Asker>.memory)
        _ = try await probes.ask(isDoubtful ? .since(.now) : .recent)
    }

    /// Counts what this node's copy holds.
    public func figures() async throws(EventLogError) -> LogFigures {
        var figures = try await index.figures()
        figures.queuedBytes = publisher.waitingBytes
        return figures
    }
}
