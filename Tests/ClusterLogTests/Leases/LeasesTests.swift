import Randomness
import Testing

@testable import ClusterLog

@Suite struct LeasesTests {
    @Test func `whoever joins and leaves, no part is held twice and all have as much`() {
        let fault = firstFault(cases: 300) { random in
            var leases = Leases()
            for turn in 0..<random.number(1...30) {
                let node = NodeID(bits: UInt64(random.number(1...random.one(of: [3, 9, 80]))))
                if random.chance(3) { leases.remove(node) } else { leases.renew(node) }
                leases.settle()
                if let fault = Self.fault(in: leases) { return "turn \(turn): \(fault)" }
                // Some give back what is too much, in whatever order.
                for share in leases.shares.shuffled(using: &random) where !random.chance(4) {
                    leases.take(leases.surplus(of: share.node), from: share.node)
                    leases.settle()
                    if let fault = Self.fault(in: leases) { return "turn \(turn): \(fault)" }
                }
            }
            var turns = 0
            while let over = leases.shares.first(where: { !leases.surplus(of: $0.node).isEmpty }) {
                leases.take(leases.surplus(of: over.node), from: over.node)
                leases.settle()
                turns += 1
                if turns > 200 { return "there is no end to it" }
            }
            let counts = leases.shares.map(\.parts.count)
            return counts.max() ?? 0 > (counts.min() ?? 0) + 1 ? "not even: \(counts)" : nil
        }
        #expect(fault == nil)
    }

    private static func fault(in leases: Leases) -> String? {
        var all: Parts = []
        for share in leases.shares {
            if !all.isDisjoint(with: share.parts) { return "held twice" }
            all.formUnion(share.parts)
        }
        return leases.shares.isEmpty || all == .all ? nil : "some are nobody's"
    }

    @Test func `what says a thing twice is read as if it did not`() {
        let (one, other) = (NodeID(bits: 1), NodeID(bits: 2))
        let leases = Leases([
            Leases.Share(node: one, parts: .all), Leases.Share(node: one), Leases.Share(node: other, parts: .first),
        ])
        #expect(leases.shares == [Leases.Share(node: one, parts: .all), Leases.Share(node: other)])
    }
}
