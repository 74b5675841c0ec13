import EventLog
import Testing

@testable import ClusterLog

@Suite struct DoubtsTests {
    private var doubts = Doubts()
    private let start = ContinuousClock.now
    private let later = ContinuousClock.now + Doubts.gracePeriod

    private func message(_ sequence: UInt64, _ milliseconds: Int64) -> Delivered {
        Delivered(sequence: sequence, number: 0, time: Timestamp(milliseconds: milliseconds))
    }

    /// Takes messages one after the other, dated so.
    private mutating func take(_ times: [Int64]) {
        for (place, time) in times.enumerated() { doubts.take(message(UInt64(place + 1), time), at: start) }
    }

    private func due(at now: ContinuousClock.Instant) -> [UInt64] { doubts.due(at: now).map(\.sequence) }

    @Test mutating func `what comes without a silence, in the order of its times, is not doubted`() {
        take((0..<100).map { $0 * (Doubts.silence - 1) } + [99 * (Doubts.silence - 1)])
        #expect(doubts.isEmpty)
    }

    @Test mutating func `what a server stored for itself alone is compared after a while`() {
        // Stopped after the second; goes on at 10 s, when the others have come to the sixth.
        take([0, 100, 10_000, 10_001, 8_000, 8_100, 10_200])
        #expect(!doubts.isEmpty && due(at: start).isEmpty)
        #expect(due(at: later) == [1, 2, 3, 4, 5, 6])
    }

    @Test mutating func `the last before the time goes back is, however many there were`() {
        take([0, 10_000] + (1...200).map { 10_000 + $0 } + [9_000])
        #expect(due(at: later) == [1, 2, 3, 4, 5, 202])
    }

    @Test mutating func `what came last before a silence is compared, which one server may have been sent alone`() {
        take((1...100).map { $0 * 10 } + [10_000])
        #expect(due(at: later) == Array(101 - UInt64(Doubts.countBefore)...101))
    }

    @Test mutating func `another message in its place is believed when it is found twice`() {
        take([0, 5_000])
        let before = doubts.compare(message(1, 0), with: message(1, 0), at: later)
        #expect(!before, "what stood before the silence is what the leader has")
        let (doubted, other) = (message(2, 5_000), message(2, 4_000))
        let first = doubts.compare(doubted, with: other, at: later)
        #expect(!first && due(at: later).isEmpty, "by a server that may have led no more")
        #expect(due(at: later + Doubts.gracePeriod) == [2])
        let second = doubts.compare(doubted, with: other, at: later + Doubts.gracePeriod)
        #expect(second)
    }

    @Test(arguments: [nil, 0, 1, -1] as [Int64?])
    mutating func `the same one, or none, ends the doubt`(difference: Int64?) {
        take([0, 5_000])
        _ = doubts.compare(message(1, 0), with: nil, at: later)
        let results = [message(2, 4_000), difference.map { message(2, 5_000 + $0) }].map { found in
            doubts.compare(message(2, 5_000), with: found, at: later)
        }
        #expect(results == [false, false] && doubts.isEmpty)
    }

    @Test mutating func `the newest are kept`() {
        take((0..<1_000).map { $0 * Doubts.silence })
        #expect(due(at: later) == Array((1_001 - UInt64(Doubts.most))...1_000))
        doubts.clear()
        #expect(doubts.isEmpty)
    }
}
