import Testing

@testable import ClusterLog

@Suite struct LossConfirmationTests {
    @Test func `the end is lost when it is for a while, without a break`() {
        var confirmation = LossConfirmation()
        let start = ContinuousClock.now
        let (half, grace) = (LossConfirmation.gracePeriod / 2, LossConfirmation.gracePeriod)
        let steps: [(StreamEnd, Duration)] = [
            (.isLost, .zero), (.isLost, half), (.goesOn, grace), (.isLost, grace), (.isBehind, grace + half),
            (.isLost, grace + half), (.isLost, grace * 2), (.isLost, grace * 3),
        ]
        let results = steps.map { confirmation.take($0, at: start + $1) }
        #expect(results == Array(repeating: false, count: 7) + [true])
    }
}
