import Testing

@testable import ClusterLog

@Suite struct StreamProgressTests {
    private let start = ContinuousClock.now
    private var progress = StreamProgress()

    private mutating func isStuck(_ taken: UInt64, _ last: UInt64?, after seconds: Int) -> Bool {
        progress.isStuck(taken: taken, last: last, at: start + .seconds(seconds))
    }

    @Test mutating func `what does not come is stuck, also if more is stored or the servers do not tell`() {
        let found = [isStuck(5, 6, after: 0), isStuck(5, 60, after: 4), isStuck(5, nil, after: 6)]
        #expect(found == [false, false, true])
        let after = [isStuck(6, 60, after: 8), isStuck(6, 60, after: 14), isStuck(60, 60, after: 15)]
        #expect(after == [false, true, false])
    }

    @Test mutating func `who is behind and takes what there was before is not`() {
        for second in stride(from: 0, to: 60, by: 2) {
            let found = isStuck(UInt64(10 * second), UInt64(10 * second + 15), after: second)
            #expect(!found)
        }
    }
}
