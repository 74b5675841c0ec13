import Testing

@testable import ClusterLog
@testable import EventLog

@Suite struct SettlementTests {
    private var settlement = Settlement()
    private let epoch = LogEpoch.random()

    private func receipt(_ positions: [Int64], isReplay: Bool = false) throws -> AppendReceipt {
        let topic = try Topic("a")
        let events = positions.map {
            Event(
                id: EventID(epoch: epoch, position: Position($0)),
                topic: topic,
                data: [],
                time: Timestamp(milliseconds: 0)
            )
        }
        return AppendReceipt(events: events, isReplay: isReplay)
    }

    @Test mutating func `the message before is of no use when there is a newer one of its kind`() throws {
        let kinds = [Settlement.Kind.probe, .settling, .reserve]
        for (place, kind) in kinds.enumerated() { settlement.replace(kind, by: UInt64(place + 1)) }
        #expect(settlement.takeSpent().isEmpty)
        for (place, kind) in kinds.enumerated() { settlement.replace(kind, by: UInt64(place + 11)) }
        let spent = settlement.takeSpent()
        #expect(spent.map(\.sequence) == [1, 2, 3] && spent.map(\.since) == [11, 12, 13])
        #expect(settlement.takeSpent().isEmpty)
    }

    @Test mutating func `what a topic has lost is said once, and of many topics at once`() throws {
        let most = 2 * Settlement.keptNotes
        settlement.note(removalOf: try Topic("a"), through: Position(1), by: 1)
        settlement.note(removalOf: try Topic("a"), through: Position(2), by: 2)
        #expect(settlement.takeSpent().map(\.sequence) == [1])
        // A node that started later has removed what was left for the sake of a key.
        settlement.note(removalOf: try Topic("a"), through: Position(1), by: 3)
        #expect(settlement.takeSpent().map(\.sequence) == [3])
        #expect(settlement.isNoted(removalOf: try Topic("a"), through: Position(2)))
        #expect(!settlement.isNoted(removalOf: try Topic("a"), through: Position(3)))
        for number in 3...most + 1 {
            settlement.note(removalOf: try Topic("t\(number)"), through: Position(Int64(number)), by: UInt64(number))
        }
        #expect(settlement.droppable == .start)
        settlement.note(removalOf: try Topic("b"), through: Position(1_000_000), by: 20_000)
        let last = Position(Int64(most + 2 - Settlement.keptNotes))
        #expect(settlement.droppable == last)
        settlement.dropNotes(through: last, since: 30_000)
        let spent = settlement.takeSpent()
        #expect(
            spent.count == Settlement.keptNotes + 1 && spent.allSatisfy { $0.since == 30_000 && $0.sequence < 20_000 }
        )
        #expect(settlement.droppable == last, "what is said next says so as well")
        settlement.note(removalOf: try Topic("b"), through: Position(1_000_001), by: 40_000)
        #expect(settlement.takeSpent().map(\.sequence) == [20_000])
    }

    @Test mutating func `what a repeated append has not written again is written by no node that comes later`() throws {
        settlement.note(try receipt([11, 12]), after: Position(10), of: 1, drafts: 2)
        // The second of three was posted before, the third is the first again.
        settlement.note(try receipt([21, 11, 21]), after: Position(20), of: 2, drafts: 3)
        settlement.note(try receipt([11], isReplay: true), after: Position(30), of: 3, drafts: 1)
        settlement.note(try receipt([]), after: Position(40), of: 4, drafts: 0)
        #expect(settlement.takeSpent().map(\.sequence) == [3, 4])
        #expect(settlement.partly(through: 1).isEmpty)
        #expect(settlement.partly(through: 2) == [2: [0]])
        settlement.forget([1, 2])
        #expect(settlement.partly(through: 2).isEmpty)
    }

    @Test mutating func `up to what is settled nothing is decided`() {
        settlement.settle(through: 10, partly: [7: [1]])
        settlement.settle(through: 5, partly: [:])
        guard case .written(nil) = settlement.decision(of: 10), case .written([1]?) = settlement.decision(of: 7),
            settlement.decision(of: 11) == nil
        else {
            Issue.record("\(settlement)")
            return
        }
        // What others have found to be gone is gone here, too.
        settlement.settle(through: 20, partly: [:])
        #expect(settlement.partly(through: 20).isEmpty)
    }
}
