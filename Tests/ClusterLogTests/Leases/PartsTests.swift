import EventLog
import Testing

@testable import ClusterLog

@Suite struct PartsTests {
    @Test(arguments: [("", 33), ("a", 32), ("orders", 45), ("é", 18)])
    func `an observer is in the same part for ever`(id: String, place: UInt64) {
        #expect(Parts(of: ObserverID(rawValue: id)).rawValue == 1 << place)
    }

    @Test func `observers are in all parts, and in none much more than in another`() {
        var counts: [Parts: Int] = [:]
        for number in 0..<6_400 { counts[Parts(of: ObserverID(rawValue: "obs_\(number)")), default: 0] += 1 }
        #expect(counts.count == Parts.all.count)
        #expect(counts.values.allSatisfy { (50...150).contains($0) })
    }

    @Test func `the first of them are so many`() {
        #expect(Parts.all.prefix(0).isEmpty && Parts.all.prefix(-1).isEmpty)
        #expect(Parts.all.prefix(64) == .all && Parts.all.prefix(99) == .all)
        #expect(Parts(rawValue: 0b1011_0100).prefix(2).rawValue == 0b0001_0100)
    }
}
