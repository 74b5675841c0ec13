/// One node's part in the sharing out of the webhooks: what it may deliver, and what it asks of the others. Pure: time,
/// messages and answers are given to it.
///
/// That no two nodes deliver the same rests on this. Whoever changes the leases says which message it follows, and all nodes
/// pass it over unless that is the newest which counts. A node may deliver for ``validity`` from when it asked for a renewal that
/// counts. Another takes its parts only after ``expiry`` from when it heard of that renewal, which was later; if there has been
/// one since, that does not count. What a node gives back of its own, it stops to deliver before it says so.
struct LeaseHolder: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// How often a node says that it is there.
    static let renewal = Duration.seconds(2)
    /// For how long after it asked for a renewal that it got a node delivers: less than others wait.
    static let validity = Duration.seconds(5)
    /// For how long nothing is heard of a node before others take its parts.
    static let expiry = Duration.seconds(7)
    /// For how long others are given to be heard after nothing could be heard of anybody.
    static let settling = Duration.seconds(3)
    /// When what was asked and has had no effect is asked again.
    static let retry = Duration.seconds(1)

    /// What is to be done now.
    struct Turn: Sendable {
        /// Whether ``duty`` has changed: whoever delivers is to be told.
        var isNews = false
        /// Whether what is under way may end before it is somebody else's.
        var hasTime = false
        /// Parts that are to be given back when whoever delivers has stopped: ``stop(_:)``.
        var giveBack: Parts = []
        /// What the leases should be; ``answer(_:at:)`` follows.
        var ask: (leases: Leases, after: UInt64)?
        /// Parts to be taken up, by which leases; ``answerTakingUp(_:at:)`` follows.
        var takeUp: (parts: Parts, leases: UInt64)?
    }

    private enum Giving {
        case nothing
        case stopping(Parts)
        /// They are no more in what is asked by that renewal.
        case stopped(Parts, by: UInt64)

        var parts: Parts {
            switch self {
            case .nothing: []
            case .stopping(let parts), .stopped(let parts, _): parts
            }
        }
    }

    private enum Leaving { case no, stopping, stopped }

    let node: NodeID
    /// Which parts this node delivers, as of the last turn and while ``isValid(at:)``.
    private(set) var duty: Parts = []
    private(set) var leases = Leases()
    /// The place of the message that says them; what comes before it on its subject is of no use to anybody.
    private(set) var sequence: UInt64 = 0
    /// When each of the nodes was heard of last.
    private var heard: [NodeID: Instant] = [:]
    /// What this node was the last to take up.
    private var takenUp: Parts = []
    /// The place of the last message by which it took up any.
    private(set) var term: Int64 = 0
    private var valid: Instant?
    private var validSince: Instant?
    private var hasLapsed = false
    private var giving = Giving.nothing
    private var leaving = Leaving.no
    private var asked: (at: Instant, after: UInt64)?
    private var isAsking = false
    private var isTakingUp = false
    /// Until when they are not taken up once more, as that was refused.
    private var takesUpFrom: Instant?

    init(_ node: NodeID) { self.node = node }

    /// Whether the node is among those that share the webhooks.
    var isMember: Bool { leases[node] != nil }

    /// Whether it may deliver what is its ``duty``. If not, the next turn has that told, also if it may again by then.
    mutating func isValid(at now: Instant) -> Bool {
        if let valid, now < valid { return true }
        hasLapsed = true
        return false
    }

    /// Takes in what the stream says.
    /// - Parameters:
    ///   - before: the place of the leases that these follow, as who asked for them knew it.
    ///   - sequence: their own.
    /// - Returns: false if others came in between: then they do not count, which all nodes find alike. Places that a node
    ///   does not know were removed before it came to them, so what follows those is newer than what it knows.
    mutating func take(_ leases: Leases, after before: UInt64, sequence: UInt64, at now: Instant) -> Bool {
        guard before >= self.sequence else { return false }
        let known = Dictionary(uniqueKeysWithValues: self.leases.shares.map { ($0.node, $0.renewals) })
        let times = leases.shares.map { ($0.node, known[$0.node] == $0.renewals ? heard[$0.node] ?? now : now) }
        heard = Dictionary(uniqueKeysWithValues: times)
        (self.leases, self.sequence) = (leases, sequence)
        guard let share = leases[node], !share.parts.isDisjoint(with: giving.parts) else {
            // Taken away meanwhile.
            giving = .nothing
            return true
        }
        // Some may have come back, if others have left.
        if case .stopped(_, share.renewals) = giving { giving = .nothing }
        return true
    }

    /// Takes in which parts this node was the last to take up.
    /// - Parameter term: the place of the message, if it was this node's.
    mutating func take(takenUp parts: Parts, term: Int64?) {
        takenUp = parts
        self.term = term ?? self.term
    }

    /// Takes in whether what was asked counts.
    mutating func answer(_ isTaken: Bool) {
        isAsking = false
        if isTaken, let asked { valid = asked.at + Self.validity }
    }

    /// Takes in whether parts were taken up. What is refused is so at once while nothing can be sent.
    mutating func answerTakingUp(_ isTaken: Bool, at now: Instant) {
        isTakingUp = false
        takesUpFrom = isTaken ? nil : now + Self.retry
    }

    /// Takes in that nothing of parts that are to be given back is delivered any more.
    mutating func stop(_ parts: Parts) {
        if case .stopping(parts) = giving { giving = .stopped(parts, by: .max) }
    }

    /// Begins to leave: from here on nothing is its duty.
    mutating func leave() { (leaving, duty) = (.stopping, []) }

    /// Takes in that nothing at all is delivered any more.
    mutating func stop() { leaving = .stopped }

    mutating func turn(at now: Instant) -> Turn {
        let held = leases[node]?.parts ?? []
        let isValid = valid.map { now < $0 } ?? false
        validSince = isValid ? validSince ?? now : nil
        var turn = Turn()
        turn.giveBack = giveBack()
        turn.hasTime = isValid
        let duty = isValid && leaving == .no ? held.intersection(takenUp).subtracting(giving.parts) : []
        turn.isNews = duty != self.duty || hasLapsed
        (self.duty, hasLapsed) = (duty, false)
        let missing = held.subtracting(takenUp).subtracting(giving.parts)
        if isValid, leaving == .no, !isTakingUp, takesUpFrom.map({ now >= $0 }) ?? true, !missing.isEmpty {
            isTakingUp = true
            turn.takeUp = (missing, sequence)
        }
        turn.ask = ask(at: now, isValid: isValid)
        return turn
    }

    /// Begins to give back what is too much.
    private mutating func giveBack() -> Parts {
        guard case .nothing = giving, leaving == .no else { return [] }
        let surplus = leases.surplus(of: node)
        if !surplus.isEmpty { giving = .stopping(surplus) }
        return surplus
    }

    private mutating func ask(at now: Instant, isValid: Bool) -> (leases: Leases, after: UInt64)? {
        // What counts shows in the stream; what does not is asked again when the leases are others, or after a while.
        if isAsking { return nil }
        if let asked, asked.after == sequence, now - asked.at < Self.retry { return nil }
        var next = leases
        // Nobody was heard of while the servers were away.
        if isValid, let validSince, now - validSince >= Self.settling {
            for (other, time) in heard where other != node && now - time > Self.expiry { next.remove(other) }
        }
        if case .stopped(let parts, _) = giving { next.take(parts, from: node) }
        switch leaving {
        case .no:
            let isDue = valid.map { now - $0 + Self.validity >= Self.renewal } ?? true
            guard isDue || !isMember || next != leases else { return nil }
            next.renew(node)
            if case .stopped(let parts, _) = giving, let share = next[node] {
                giving = .stopped(parts, by: share.renewals)
            }
        case .stopping: return nil
        case .stopped:
            guard isMember else { return nil }
            next.remove(node)
        }
        next.settle()
        (asked, isAsking) = ((now, sequence), true)
        return (next, sequence)
    }
}
