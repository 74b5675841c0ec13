import Testing

@testable import ClusterLog

@Suite struct KnownNodesTests {
    private let start = ContinuousClock.now
    private let one = NodeID(bits: 1)
    private let other = NodeID(bits: 2)

    @Test func `one that is silent is not waited for, and forgotten later`() {
        var nodes = KnownNodes()
        let isNew = [
            nodes.hear(one, at: start), nodes.hear(one, at: start), nodes.hear(other, at: start + .seconds(2)),
        ]
        #expect(isNew == [true, false, true])
        #expect(nodes.talking(at: start + .seconds(3)) == [one, other])
        #expect(nodes.talking(at: start + .seconds(4)) == [other])
        nodes.forget(at: start + .seconds(30))
        #expect(nodes.all == [one, other])
        nodes.forget(at: start + .seconds(31))
        #expect(nodes.all == [other])
        nodes.leave(other)
        #expect(nodes.all.isEmpty)
    }

    @Test func `nobody is to blame for silence while nothing can be heard`() {
        var nodes = KnownNodes()
        nodes.hear(one, at: start)
        nodes.excuse(at: start + .seconds(100))
        nodes.forget(at: start + .seconds(100))
        #expect(nodes.talking(at: start + .seconds(100)) == [one])
    }

    @Test func `a stranger cannot make it grow`() {
        var nodes = KnownNodes()
        for bits in 1...10_000 { nodes.hear(NodeID(bits: UInt64(bits)), at: start) }
        #expect(nodes.all.count == KnownNodes.maximum)
        nodes.hear(NodeID(bits: 1), at: start + .seconds(3))
        #expect(nodes.talking(at: start + .seconds(4)).count == 1)
    }
}
