import EventLog

/// Where a stream stands in the log and who feeds it: a state machine without locks or I/O.
///
/// Exactly one side sends at any time: while catching up, the reader of the log; while live, the sequencer. That, and
/// comparing positions, is why no event is sent twice, left out or out of order across the hand-over:
///
/// - The stream is registered before its first position is read, so every event that the reader's snapshot lacks is
///   heard, and what is heard while catching up is remembered as "there is more, up to here".
/// - A page that reaches that proves that nothing lies between, and only then the stream goes live: unless the reader has a
///   gap to tell of, which nobody else will.
struct StreamCursor {
    private enum Phase {
        case opening
        case catchingUp
        case live
    }

    /// What to do with a run of committed events.
    enum Hearing: Equatable {
        /// The reader of the log will send it.
        case ignore
        /// Send the events after this position; the sequencer is the one to do it.
        case send(after: Position)
    }

    private var phase = Phase.opening
    /// The last event sent, or the last position known to hold nothing for this stream before the next event.
    private(set) var position = Position.start
    /// While not live: how far the log must be read before the sequencer may send. The log's newest position at the beginning,
    /// then the last event that was heard.
    private var goal = Position.start

    var isLive: Bool {
        if case .live = phase { true } else { false }
    }

    /// Starts after a position.
    ///
    /// - Parameters:
    ///   - tail: the log's newest position, read after the stream was registered.
    ///   - hasGap: the reader has something to say first, even if there is nothing to read.
    /// - Returns: whether the log must be read.
    mutating func begin(after position: Position, tail: Position, hasGap: Bool = false) -> Bool {
        goal = max(goal, tail)
        return caughtUp(through: position, hasGap: hasGap)
    }

    /// The sequencer tells of committed events, in order.
    mutating func hear(through last: Position) -> Hearing {
        switch phase {
        case .opening, .catchingUp:
            goal = last
            return .ignore
        case .live:
            guard last > position else { return .ignore }
            defer { position = last }
            return .send(after: position)
        }
    }

    /// The outbox took nothing of the events after `position`: the reader takes over from there.
    mutating func fallBehind(to position: Position) {
        phase = .catchingUp
        goal = self.position
        self.position = position
    }

    /// The reader has sent all events up to a position.
    ///
    /// - Parameter hasGap: the reader has still to tell of a gap, when it meets an event or the log's end.
    /// - Returns: whether the log must be read further.
    mutating func caughtUp(through scanned: Position, hasGap: Bool = false) -> Bool {
        position = scanned
        let mustRead = scanned < goal || hasGap
        phase = mustRead ? .catchingUp : .live
        return mustRead
    }
}
