/// Which other nodes there are, by what is heard of them.
struct KnownNodes {
    private var heard: [NodeID: ContinuousClock.Instant] = [:]

    /// How often a node says that it is here.
    static let interval = Duration.seconds(1)
    /// The silence after which nobody waits for its answers any more: it is named as one that does not answer at once.
    static let silence = Duration.seconds(3)
    /// The silence after which it is forgotten. Its streams' clients are at other nodes by then.
    static let memory = Duration.seconds(30)
    /// How many are known at most. A cluster has a few; on the bus is whoever the servers let in.
    static let maximum = 256

    /// Notes that a node is there.
    /// - Returns: whether it was not known.
    @discardableResult
    mutating func hear(_ node: NodeID, at now: ContinuousClock.Instant) -> Bool {
        let isNew = heard[node] == nil
        if isNew, heard.count >= Self.maximum { return false }
        heard[node] = now
        return isNew
    }

    mutating func leave(_ node: NodeID) { heard[node] = nil }

    /// Forgets those that have been silent for long.
    mutating func forget(at now: ContinuousClock.Instant) {
        heard = heard.filter { now - $0.value <= Self.memory }
    }

    /// Nothing could be heard of any until now: their silence says nothing.
    mutating func excuse(at now: ContinuousClock.Instant) {
        heard = heard.mapValues { _ in now }
    }

    var all: Set<NodeID> { Set(heard.keys) }

    /// Those whose answer is worth waiting for.
    func talking(at now: ContinuousClock.Instant) -> Set<NodeID> {
        Set(heard.filter { now - $0.value <= Self.silence }.keys)
    }
}
