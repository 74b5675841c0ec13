import Testing

@testable import ClusterLog

@Suite struct ProbeTurnsTests {
    private var turns = ProbeTurns<String>()
    private let start = ContinuousClock.now

    private mutating func ask(_ question: ProbeTurns<String>.Question, _ asker: String, at seconds: Double) -> String {
        switch turns.ask(question, asker, at: start + .seconds(seconds)) {
        case .tell(let sequence): "\(sequence)"
        case .write: "write"
        case .wait: "wait"
        }
    }

    @Test mutating func `who asks while one is written shares it`() {
        var steps = [ask(.recent, "a", at: 0)]
        for number in 1...1_000 { steps.append(ask(.recent, "\(number)", at: 0.1)) }
        #expect(steps == ["write"] + Array(repeating: "wait", count: 1_000))
        let end = turns.end(7, at: start + .seconds(0.2))
        #expect(end.told.count == 1_001 && !end.mustWrite)
    }

    @Test mutating func `one is written in a second at most, and after it another`() {
        let first = ask(.recent, "a", at: 0)
        _ = turns.end(7, at: start + .seconds(0.9))
        // By when it began: it says nothing of what came after.
        let steps = [first, ask(.recent, "b", at: 0.99), ask(.recent, "c", at: 1)]
        #expect(steps == ["write", "7", "write"])
    }

    @Test mutating func `a failure is told to who asked, and nobody later`() {
        _ = ask(.recent, "a", at: 0)
        _ = turns.end(7, at: start)
        _ = ask(.recent, "b", at: 2)
        let end = turns.end(nil, at: start + .seconds(2.1))
        let step = ask(.recent, "c", at: 2.2)
        #expect(end.told == ["b"] && step == "write")
    }

    private func since(_ seconds: Double) -> ProbeTurns<String>.Question { .since(start + .seconds(seconds)) }

    @Test mutating func `what must be written after a moment is, once for all who ask so`() {
        var steps = [ask(.recent, "a", at: 0), ask(since(0.1), "b", at: 0.1), ask(since(0.2), "c", at: 0.2)]
        let first = turns.end(7, at: start + .seconds(0.3))
        #expect(first.told == ["a"] && first.mustWrite)
        steps.append(ask(.recent, "d", at: 0.4))
        let second = turns.end(8, at: start + .seconds(0.5))
        #expect(second.told == ["b", "c", "d"] && !second.mustWrite)
        // What was written at 0.3 tells who asks about a moment before, and nobody else.
        steps += [ask(since(0.3), "e", at: 0.6), ask(since(0.31), "f", at: 0.6), ask(since(0.6), "g", at: 0.7)]
        #expect(steps == ["write", "wait", "wait", "wait", "8", "write", "wait"])
        #expect(turns.end(9, at: start + .seconds(0.8)).told == ["f", "g"], "it began in time for both")
    }
}
