/// Who delivers which parts of the webhooks: all of it is said by the newest message of its subject.
///
/// A part that some node holds moves only by that node's own word, or when the node is taken for gone.
struct Leases: Hashable, Sendable {
    /// What one node holds.
    struct Share: Hashable, Sendable {
        let node: NodeID
        /// Counts how often the node has said that it is there.
        var renewals: UInt64 = 0
        var parts: Parts = []
    }

    /// Those of all nodes, in the order in which they joined. No part is in two of them.
    private(set) var shares: [Share] = []

    init() {}

    /// Takes shares over; what is there a second time is left out.
    init(_ shares: [Share]) {
        var taken: Parts = []
        for var share in shares where self[share.node] == nil {
            share.parts.subtract(taken)
            taken.formUnion(share.parts)
            self.shares.append(share)
        }
    }

    subscript(node: NodeID) -> Share? { shares.first { $0.node == node } }

    /// Notes that a node is there, and has it join if it has not.
    mutating func renew(_ node: NodeID) {
        if let place = shares.firstIndex(where: { $0.node == node }) {
            shares[place].renewals &+= 1
        } else {
            shares.append(Share(node: node))
        }
    }

    /// Has a node leave.
    mutating func remove(_ node: NodeID) { shares.removeAll { $0.node == node } }

    /// Takes parts from a node.
    mutating func take(_ parts: Parts, from node: NodeID) {
        guard let place = shares.firstIndex(where: { $0.node == node }) else { return }
        shares[place].parts.subtract(parts)
    }

    /// Gives each part that nobody holds to a node that has the fewest.
    mutating func settle() {
        var free = shares.reduce(Parts.all) { $0.subtracting($1.parts) }
        while !free.isEmpty, let place = shares.indices.min(by: { shares[$0].parts.count < shares[$1].parts.count }) {
            let part = free.prefix(1)
            shares[place].parts.formUnion(part)
            free.subtract(part)
        }
    }

    /// What a node has more than its share: if all give theirs back, no two differ by more than one.
    func surplus(of node: NodeID) -> Parts {
        // Those who have most get what is left when it is divided.
        let order = shares.indices.sorted { (-shares[$0].parts.count, $0) < (-shares[$1].parts.count, $1) }
        guard let rank = order.firstIndex(where: { shares[$0].node == node }) else { return [] }
        let (share, rest) = Parts.all.count.quotientAndRemainder(dividingBy: shares.count)
        let parts = shares[order[rank]].parts
        return parts.prefix(parts.count - share - (rank < rest ? 1 : 0))
    }
}
