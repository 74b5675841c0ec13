import EventLog
import Testing

@testable import ClusterLog

@Suite struct FencesTests {
    private let one = NodeID(bits: 1)
    private let other = NodeID(bits: 2)
    private let webhook = ObserverID(rawValue: "w")

    @Test func `outcomes count of the node that took the part up last, since then`() {
        var fences = Fences()
        #expect(!fences.admit(webhook, by: one, term: .max), "nobody has taken it up")
        fences.take(.all, by: one, leases: 1, term: 2)
        #expect(fences.admit(webhook, by: one, term: 2) && !fences.admit(webhook, by: other, term: 2))
        fences.take(Parts(of: webhook), by: other, leases: 3, term: 4)
        #expect(!fences.admit(webhook, by: one, term: 2) && fences.admit(webhook, by: other, term: 4))
        fences.take(.all, by: one, leases: 5, term: 6)
        #expect(!fences.admit(webhook, by: one, term: 2), "what was on its way since before")
        #expect(fences.admit(webhook, by: one, term: 6))
    }

    @Test func `outcomes count on while their node takes the part up once more`() {
        var fences = Fences()
        fences.take(.all, by: one, leases: 1, term: 2)
        fences.take(.all, by: one, leases: 3, term: 4)
        #expect(fences.admit(webhook, by: one, term: 2))
    }

    @Test func `what was held up on its way takes nothing from who has it now`() {
        var fences = Fences()
        fences.take(.all, by: other, leases: 3, term: 4)
        fences.take(Parts(of: webhook), by: one, leases: 1, term: 5)
        #expect(fences.parts(of: other) == .all && fences.parts(of: one).isEmpty)
    }
}
