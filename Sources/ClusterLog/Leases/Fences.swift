import EventLog

/// Whose outcomes count, for each part: those of the node that took it up last.
///
/// ``Leases`` cannot say so. Only the newest of their messages is kept, and a node that starts later has to come to the same
/// as those that have heard all of them; what is said of taking up stays in the stream.
struct Fences: Sendable {
    private struct Fence: Sendable {
        let node: NodeID
        /// The place of the leases by which the node has the part.
        let leases: Int64
        /// The place of the first message by which it took the part up.
        let term: Int64
    }

    private var fences: [Parts: Fence] = [:]

    /// Takes in that a node takes parts up.
    mutating func take(_ parts: Parts, by node: NodeID, leases: Int64, term: Int64) {
        for part in parts.each {
            // A word that was held up on its way is no news.
            if let fence = fences[part], fence.leases > leases { continue }
            // Who takes up again what it has, since it was not answered, goes on meanwhile: no other was between.
            let term = fences[part].map { $0.node == node ? $0.term : term } ?? term
            fences[part] = Fence(node: node, leases: leases, term: term)
        }
    }

    /// The parts that a node took up last.
    func parts(of node: NodeID) -> Parts {
        fences.reduce(into: Parts()) { if $1.value.node == node { $0.formUnion($1.key) } }
    }

    /// Whether an outcome for an observer counts.
    /// - Parameter term: by which message the node took up parts last when it said so.
    func admit(_ observer: ObserverID, by node: NodeID, term: Int64) -> Bool {
        guard let fence = fences[Parts(of: observer)] else { return false }
        return fence.node == node && fence.term <= term
    }
}

extension Parts {
    fileprivate var each: some Sequence<Parts> {
        sequence(state: self) { rest -> Parts? in
            let part = rest.prefix(1)
            rest.subtract(part)
            return part.isEmpty ? nil : part
        }
    }
}
