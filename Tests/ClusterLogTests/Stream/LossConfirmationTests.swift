import Testing

@testable import ClusterLog

@Suite struct LossConfirmationTests {
    @Test func `the end is lost when it is for a while, without a break`() {
        var confirmation = LossConfirmation()
        let start = ContinuousClock.now
        let (half, patience) = (LossConfirmation.patience / 2, LossConfirmation.patience)
        let steps: [(StreamEnd, Duration)] = [
            (.isLost, .zero), (.isLost, half), (.goesOn, patience), (.isLost, patience), (.isBehind, patience + half),
            (.isLost, patience + half), (.isLost, patience * 2), (.isLost, patience * 3),
        ]
        let results = steps.map { confirmation.take($0, at: start + $1) }
        #expect(results == Array(repeating: false, count: 7) + [true])
    }
}
