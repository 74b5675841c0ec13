import Testing

@testable import Clarion

@Suite struct LineRationTests {
    @Test func `of each kind ten lines are written in a minute, and the next one says how many were not`() {
        var ration = LineRation<String>()
        let start = ContinuousClock.now
        for _ in 0..<10 { #expect(ration.take("a", at: start) == 0) }
        for _ in 0..<1_000 { #expect(ration.take("a", at: start + .seconds(59)) == nil) }
        #expect(ration.take("b", at: start + .seconds(59)) == 0)
        #expect(ration.take("a", at: start + .seconds(60)) == 1_000)
        #expect(ration.take("a", at: start + .seconds(61)) == 0)
    }
}
