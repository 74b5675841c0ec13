import EventLog
import Testing

@testable import ClusterLog

@Suite("The end of the stream")
struct StreamEndTests {
    private let taken = Delivered(sequence: 100, number: 0, time: Timestamp(milliseconds: 1_000_000))

    private func end(at last: UInt64, _ lead: Int64?) -> StreamEnd {
        let found = lead.map {
            Delivered(sequence: min(last, 100), number: 0, time: Timestamp(milliseconds: 1_000_000 + $0))
        }
        return StreamEnd(at: last, where: found, after: taken)
    }

    @Test func `a stream that has what was taken, or has removed it, goes on`() {
        for last in [100, 101, UInt64.max] as [UInt64] {
            #expect(end(at: last, nil) == .goesOn)
            for lead in [-1, 0, 1] as [Int64] { #expect(end(at: last, lead) == .goesOn) }
        }
    }

    @Test func `a stream that gives a place again is another one`() {
        for lead in [2, -2, 10_000, -10_000] as [Int64] { #expect(end(at: 100, lead) == .isLost) }
        // Also before it has come as far as what was taken.
        for last in [1, 99] as [UInt64] { #expect(end(at: last, StreamEnd.mostSkew + 1) == .isLost) }
    }

    @Test func `servers that are behind are waited for, however long that takes`() {
        for last in [0, 1, 99] as [UInt64] {
            #expect(end(at: last, nil) == .isBehind)
            for lead in [-1_000_000, -1, 0, 1, StreamEnd.mostSkew] { #expect(end(at: last, lead) == .isBehind) }
        }
    }
}
