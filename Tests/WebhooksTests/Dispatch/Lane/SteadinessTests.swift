import Randomness
import Testing

@testable import Webhooks

@Suite("Steadiness")
struct SteadinessTests {
    private static let good = answer()
    private static let secured = answer(secured: 900)
    private static let failed = answer(failure: .connectionReset)

    private static func answer(secured: Int64? = nil, failure: FailureClass? = nil, total: Int64 = 2000)
        -> AttemptAnswer
    {
        AttemptAnswer(failure: failure, timings: AttemptTimings(secured: secured, total: total))
    }

    /// One that began among many others.
    private var crowded: Steadiness {
        var steadiness = Steadiness()
        steadiness.begin(isCrowded: true)
        return steadiness
    }

    /// How often it becomes another.
    private func moves(_ steadiness: inout Steadiness, _ answers: some Sequence<AttemptAnswer>) -> Int {
        answers.reduce(into: 0) { moves, answer in
            let before = steadiness.isSteady
            steadiness.note(answer)
            if steadiness.isSteady != before { moves += 1 }
        }
    }

    @Test("an endpoint is steady at first, unless many are new with it")
    func first() {
        var steadiness = Steadiness()
        steadiness.begin(isCrowded: false)
        #expect(steadiness.isSteady)
        steadiness.begin(isCrowded: true)
        #expect(steadiness.isSteady)
        #expect(!crowded.isSteady)
    }

    @Test("a run of attempts without trouble makes an endpoint steady, and its first failure ends that")
    func run() {
        var steadiness = crowded
        for _ in 0..<7 { steadiness.note(Self.good) }
        #expect(!steadiness.isSteady)
        steadiness.note(Self.failed)
        for _ in 0..<7 { steadiness.note(Self.good) }
        #expect(!steadiness.isSteady)
        steadiness.note(Self.good)
        #expect(steadiness.isSteady)
        steadiness.note(Self.failed)
        #expect(!steadiness.isSteady)
    }

    @Test("an answer that is a failure speaks against nobody: its connection is there for the next attempt")
    func answers() {
        var steadiness = Steadiness()
        let refusals = Array(repeating: Self.answer(failure: .status), count: 100)
        #expect(moves(&steadiness, refusals) == 0 && steadiness.isSteady)
        #expect(moves(&steadiness, [Self.failed]) == 1)
    }

    @Test("one that makes a handshake for each attempt, or for every second or third, is not steady")
    func handshakes() {
        for period in 1...3 {
            var steadiness = crowded
            let answers = (0..<10_000).map { $0 % period == 0 ? Self.secured : Self.good }
            #expect(moves(&steadiness, answers) == 0, "one in \(period)")
        }
        var steadiness = Steadiness()
        for _ in 0..<100 { steadiness.note(Self.secured) }
        #expect(!steadiness.isSteady)
    }

    @Test(
        "the connections that it opens at first, or when it has changed threads, are no reason to go",
        arguments: [0, 8]
    )
    func firstConnections(run: Int) {
        var steadiness = run > 0 ? crowded : Steadiness()
        for _ in 0..<run { steadiness.note(Self.good) }
        let opening = Array(repeating: Self.secured, count: 32) + Array(repeating: Self.good, count: 1000)
        #expect(moves(&steadiness, opening) == 0)
    }

    @Test("one that answers by chance hardly ever moves, however often it answers well", arguments: 1...9)
    func chance(tenths: Int) {
        var steadiness = crowded
        var random = SeededGenerator(seed: UInt64(tenths))
        let answers = (0..<100_000).map { _ in
            Int.random(in: 1...10, using: &random) <= tenths ? Self.good : Self.failed
        }
        #expect(moves(&steadiness, answers) <= 12)
    }

    @Test("to take long is neither for nor against it")
    func late() {
        var (new, old) = (crowded, Steadiness())
        for _ in 0..<100 {
            new.note(Self.answer(total: 1_500_000))
            old.note(Self.answer(total: 1_500_000))
        }
        #expect(!new.isSteady && old.isSteady)
    }
}
