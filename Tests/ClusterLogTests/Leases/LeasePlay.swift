import Randomness

@testable import ClusterLog

/// Nodes that share out the webhooks by a stream, with everything that may happen on the way: messages late, lost,
/// overtaken, removed before they are heard; nodes that die, stop for a while, leave and join. Time is the play's own.
struct LeasePlay {
    private enum Word {
        case leases(Leases, after: UInt64, by: NodeID, isAwaited: Bool)
        case takeUp(Parts, leases: UInt64, by: NodeID)
    }

    private struct Node {
        var holder: LeaseHolder
        var fences = Fences()
        /// How many messages it has taken.
        var taken = 0
        var stoppedUntil = 0
        /// What it makes attempts at although it is not its duty any more: until when.
        var ending: (parts: Parts, until: Int)?
        var isLeaving = false
    }

    private struct Sent {
        let at: Int
        let word: Word
    }

    private var random: SeededGenerator
    private var nodes: [NodeID: Node] = [:]
    private var stream: [Word] = []
    /// Leases that come before are not in it any more.
    private var firstLeases: UInt64 = 0
    private var underWay: [Sent] = []
    private var failures: [(at: Int, to: NodeID)] = []
    private var now = 0
    private var joined: UInt64 = 0
    private let start = ContinuousClock.now

    init(_ random: SeededGenerator) { self.random = random }

    private var moment: ContinuousClock.Instant { start.advanced(by: .milliseconds(now)) }

    /// Lets things happen, then lets nothing happen; returns what went wrong.
    mutating func run() -> String? {
        for _ in 0..<random.number(1...4) { join() }
        for _ in 0..<1_500 {
            if random.chance(100) { upset() }
            if let fault = step(isCalm: false) { return "at \(now) ms: \(fault)" }
        }
        if nodes.values.allSatisfy(\.isLeaving) { join() }
        // Those that are stopped go on; a death is noticed within seven seconds, and what is to be given back needs its time.
        let end = now + 30_000
        while now < end { if let fault = step(isCalm: true) { return "at \(now) ms: \(fault)" } }
        let duties = nodes.values.filter { !$0.isLeaving }.map(\.holder.duty.count)
        guard duties.reduce(0, +) == Parts.all.count else { return "in the end some are nobody's: \(duties)" }
        return duties.max() ?? 0 > (duties.min() ?? 0) + 1 ? "in the end they are not even: \(duties)" : nil
    }

    private mutating func join() {
        joined += 1
        let node = NodeID(bits: joined)
        nodes[node] = Node(holder: LeaseHolder(node))
        // It reads what there is before it does anything.
        while nodes[node]!.taken < stream.count { hear(node) }
    }

    private mutating func upset() {
        let present = nodes.keys.sorted { $0.bits < $1.bits }
        guard let node = present.randomElement(using: &random) else { return join() }
        switch random.number(1...6) {
        case 1: nodes[node] = nil
        case 2: if nodes.count < 6 { join() }
        case 3: nodes[node]!.stoppedUntil = now + random.number(10...15_000)
        case 4: now += random.number(100...9_000)  // The servers are away, and so is everybody.
        case 5: firstLeases = max(firstLeases, nodes[node]!.holder.sequence)
        default:
            nodes[node]!.holder.leave()
            nodes[node]!.holder.stop()
            nodes[node]!.isLeaving = true
            nodes[node]!.ending = nil
        }
    }

    private mutating func step(isCalm: Bool) -> String? {
        now += random.number(1...60)
        serve()
        for id in nodes.keys.sorted(by: { $0.bits < $1.bits }) where isCalm || nodes[id]!.stoppedUntil <= now {
            while nodes[id]!.taken < stream.count, isCalm || random.number(1...4) > 1 { hear(id) }
            if isCalm || !random.chance(3) { turn(id, isCalm: isCalm) }
        }
        return overlap()
    }

    /// Two that deliver the same.
    private mutating func overlap() -> String? {
        var all: [NodeID: Parts] = [:]
        for id in nodes.keys where nodes[id]!.stoppedUntil <= now {
            // What it may not deliver any more it gives up on at its next turn: others come two seconds later.
            guard nodes[id]!.holder.isValid(at: moment) else { continue }
            let parts = nodes[id]!.holder.duty.union(nodes[id]!.ending?.parts ?? [])
            for (other, others) in all where !others.isDisjoint(with: parts) {
                return "\(other) and \(id) deliver the same"
            }
            all[id] = parts
        }
        return nil
    }

    private mutating func hear(_ id: NodeID) {
        let place = nodes[id]!.taken
        nodes[id]!.taken += 1
        let sequence = UInt64(place + 1)
        switch stream[place] {
        case .leases(let leases, let before, let node, let isAwaited):
            let isOwn = node == id && isAwaited
            if sequence < firstLeases {
                if isOwn { failures.append((now + 1_000, id)) }
                return
            }
            let isTaken = nodes[id]!.holder.take(leases, after: before, sequence: sequence, at: moment)
            if isOwn { nodes[id]!.holder.answer(isTaken) }
        case .takeUp(let parts, let leases, let node):
            nodes[id]!.fences.take(parts, by: node, leases: Int64(leases), term: Int64(sequence))
            let own = nodes[id]!.fences.parts(of: id)
            nodes[id]!.holder.take(takenUp: own, term: node == id ? Int64(sequence) : nil)
            if node == id { nodes[id]!.holder.answerTakingUp(true, at: moment) }
        }
    }

    private mutating func turn(_ id: NodeID, isCalm: Bool) {
        if let ending = nodes[id]!.ending, ending.until <= now {
            nodes[id]!.holder.stop(ending.parts)
            nodes[id]!.ending = nil
        }
        let turn = nodes[id]!.holder.turn(at: moment)
        // Attempts are given up on when their time is over, or nothing is this node's any more.
        if !turn.hasTime { nodes[id]!.ending?.until = now }
        if !turn.giveBack.isEmpty { nodes[id]!.ending = (turn.giveBack, now + random.number(0...5_000)) }
        let delay = isCalm ? 1 : random.one(of: [1, 5, 50, 500, 4_000])
        if let (parts, leases) = turn.takeUp {
            underWay.append(Sent(at: now + delay, word: .takeUp(parts, leases: leases, by: id)))
        }
        if let (leases, after) = turn.ask {
            // Nobody answers: it is lost, or it is there later.
            let isAwaited = delay < 850 && (isCalm || !random.chance(12))
            if !isAwaited {
                failures.append((now + 850, id))
                if random.chance(3) { return }
            }
            underWay.append(Sent(at: now + delay, word: .leases(leases, after: after, by: id, isAwaited: isAwaited)))
        }
    }

    /// What reaches the servers is in the stream, in the order in which it does.
    private mutating func serve() {
        stream += underWay.filter { $0.at <= now }.sorted { $0.at < $1.at }.map(\.word)
        underWay.removeAll { $0.at <= now }
        for failure in failures where failure.at <= now { nodes[failure.to]?.holder.answer(false) }
        failures.removeAll { $0.at <= now }
    }
}
