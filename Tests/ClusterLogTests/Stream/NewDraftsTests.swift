import Testing

@testable import ClusterLog
@testable import EventLog

@Suite struct NewDraftsTests {
    private func draft(_ topic: String, _ key: String?, _ fingerprint: UInt8 = 0) throws -> EventDraft {
        EventDraft(
            topic: try Topic(topic),
            data: [fingerprint],
            idempotencyKey: key.map { IdempotencyKey($0, fingerprint: [fingerprint]) }
        )
    }

    private func event(_ position: Int64) throws -> Event {
        Event(
            id: EventID(epoch: LogEpoch(bits: 1), position: Position(position)),
            topic: try Topic("a"),
            type: nil,
            contentType: nil,
            data: [],
            attributes: nil,
            time: .latest
        )
    }

    private func positions(_ receipt: AppendReceipt?) -> [Int64]? { receipt?.events.map(\.id.position.rawValue) }

    @Test func `of each key the first is published, and what was not posted before`() throws {
        let drafts = try [
            draft("a", "k"), draft("a", nil), draft("a", "k"), draft("b", "k"), draft("a", "known"), draft("a", nil),
            draft("a", "known"),
        ]
        let new = NewDrafts(of: drafts, [4: try event(3), 6: try event(3)])
        #expect(try new.drafts.map(\.topic.name) == ["a", "a", "b", "a"])
        #expect(new.usedKeys == [4, 6].map { _ in UsedKey("known", of: drafts[0].topic, for: Position(3)) })
        let written = AppendReceipt(events: try [11, 12, 13, 14].map(event))
        #expect(positions(new.receipt(written)) == [11, 12, 11, 13, 3, 14, 3])
        #expect(new.receipt(AppendReceipt(events: [], isReplay: true)) == nil, "somebody else was first")
        // Of what was published the third is the fourth of all.
        let conflict = EventLogError(code: .idempotencyConflict, message: "", place: 2)
        #expect(new.error(conflict).place == 3)
        #expect(new.error(EventLogError(code: .valueChanged, message: "", place: 2)).place == 2, "conditions stay")
    }

    @Test func `what is nothing new is published as it is, and found in its turn`() throws {
        let drafts = try [draft("a", "k"), draft("a", "l"), draft("a", "k")]
        let new = NewDrafts(of: drafts, [0: try event(1), 1: try event(2), 2: try event(1)])
        #expect(new.drafts.count == 2)
        let receipt = new.receipt(AppendReceipt(events: [try event(1), try event(2)], isReplay: true))
        #expect(positions(receipt) == [1, 2, 1] && receipt?.isReplay == true)
    }

    @Test func `a key of two posts is refused in its turn`() throws {
        let new = NewDrafts(of: try [draft("a", "k", 1), draft("a", "k", 2)], [:])
        #expect(new.drafts.count == 2)
    }
}
