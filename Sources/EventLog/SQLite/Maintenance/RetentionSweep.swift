import OrderedCollections

/// Which topics to look at next for history that is kept no longer: a pure state machine, held by the writer.
///
/// A commit notes the topics that hold too many events or bytes: as pressing if it is more than some slack, so that a
/// topic in use is not trimmed for every single event. For what has become too old, or was still waited for, all topics
/// are gone through by their numbers, some at a time, and then not again for a while.
struct RetentionSweep {
    /// The bounds of topics that have none of their own.
    let defaults: Retention

    /// The milliseconds from one look at all topics to the next, at least.
    static let pause: Int64 = 5_000

    /// Microseconds of pause for each topic that was looked at. A look takes up to 5, so however many topics there are it
    /// takes a twentieth of a core at most.
    static let pausePerTopic: Int64 = 100

    /// How many topics may be noted as not pressing. Further ones are found when all are gone through.
    static let restingLimit = 65_536

    /// Those that were noted, in the order in which they were.
    private var pressing: OrderedSet<Int64> = []
    private var resting: OrderedSet<Int64> = []
    /// The greatest number that was looked at in this round; nil between rounds.
    private var inspected: Int64?
    private var inspectedTopics: Int64 = 0
    private var roundBegan = Timestamp.earliest
    private var round = Deadline()
    /// Whether some topic may have bounds of its own.
    private var hasOwnBounds = true

    init(defaults: Retention) { self.defaults = defaults }

    var mayBound: Bool { hasOwnBounds || !defaults.isUnbounded }

    /// The milliseconds of the earliest time that is not too old.
    func oldest(own: Retention, at now: Timestamp) -> Int64 {
        own.completed(by: defaults).age.map { now.milliseconds - max($0, 0) } ?? .min
    }

    /// Whether a time is further ahead than any is unless the clock was set back since.
    static func isAhead(_ time: Int64, of now: Timestamp) -> Bool {
        time > now.advanced(byMilliseconds: TimeWriter.heldStep).milliseconds
    }

    /// Whether a topic holds more than it should of what is counted.
    func exceeds(events: Int64, bytes: Int64, own: Retention) -> Bool {
        excess(events: events, bytes: bytes, own: own) != .none
    }

    /// Notes a topic if it holds more than it should of what is counted.
    mutating func note(_ topic: Int64, events: Int64, bytes: Int64, own: Retention) {
        switch excess(events: events, bytes: bytes, own: own) {
        case .none: break
        case .some: if resting.count < Self.restingLimit { resting.append(topic) }
        case .much: pressing.append(topic)
        }
    }

    /// Has a topic trimmed next, whatever it holds.
    mutating func note(_ topic: Int64) { pressing.append(topic) }

    /// The bounds of a topic were changed, or taken away.
    mutating func boundsChanged(of topic: Int64) {
        hasOwnBounds = true
        note(topic)
    }

    /// Takes out the topic that was noted first.
    /// - Parameter isIdle: whether also what is not pressing is to be done.
    mutating func nextOverdue(isIdle: Bool) -> Int64? {
        if !pressing.isEmpty { return pressing.removeFirst() }
        return isIdle && !resting.isEmpty ? resting.removeFirst() : nil
    }

    /// Whether there are topics to be trimmed.
    func isOverdue(isIdle: Bool) -> Bool { !pressing.isEmpty || (isIdle && !resting.isEmpty) }

    /// The number after which topics are to be looked at now; nil if that has time.
    func nextInspection(at now: Timestamp) -> Int64? {
        if let inspected { return inspected }
        return mayBound && round.hasCome(at: now) ? 0 : nil
    }

    /// Some topics were looked at.
    /// - Parameters:
    ///   - last: the greatest number among them; nil if there were none left.
    ///   - sawOwnBounds: whether any has bounds of its own.
    mutating func inspected(_ count: Int, through last: Int64?, sawOwnBounds: Bool, at now: Timestamp) {
        if inspected == nil {
            roundBegan = now
            hasOwnBounds = false
            inspectedTopics = 0
        }
        hasOwnBounds = hasOwnBounds || sawOwnBounds
        inspectedTopics += Int64(count)
        inspected = last
        if last == nil {
            // From its beginning: what became too old behind a round under way waits no longer than a pause.
            round.make(after: max(Self.pause, inspectedTopics * Self.pausePerTopic / 1_000), from: roundBegan)
        }
    }

    private enum Excess: Comparable { case none, some, much }

    private func excess(events: Int64, bytes: Int64, own: Retention) -> Excess {
        guard events > 1 else { return .none }
        let bounds = own.completed(by: defaults)
        func excess(_ held: Int64, over bound: Int64?, slack: Int64) -> Excess {
            guard let bound, held > bound else { return .none }
            return held - max(bound, 0) > slack ? .much : .some
        }
        return max(
            excess(events, over: bounds.events, slack: max(16, (bounds.events ?? 0) / 64)),
            excess(bytes, over: bounds.bytes, slack: max(65_536, (bounds.bytes ?? 0) / 64))
        )
    }
}
