import MicroHTTP
import Webhooks
import EventLog
import Randomness
import Testing

@testable import Clarion

@Suite struct StreamCursorTests {
    private func at(_ number: Int64) -> Position { Position(number) }

    @Test func aStreamAtTheTailIsLiveAtOnce() {
        var cursor = StreamCursor()
        let mustRead = cursor.begin(after: at(7), tail: at(7))
        let hearing = cursor.hear(through: at(9))
        #expect(!mustRead)
        #expect(hearing == .send(after: at(7)))
        #expect(cursor.position == at(9))
    }

    @Test func whatWasHeardBeforeTheBeginningIsReadFromTheLog() {
        var cursor = StreamCursor()
        let hearing = cursor.hear(through: at(8))
        let mustRead = cursor.begin(after: at(7), tail: at(7))
        #expect(hearing == .ignore)
        #expect(mustRead)
        #expect(!cursor.isLive)
    }

    @Test func aPageThatEndsBeforeWhatWasHeardIsFollowedByAnother() {
        var cursor = StreamCursor()
        _ = cursor.begin(after: at(0), tail: at(10))
        _ = cursor.hear(through: at(12))
        let afterFirst = cursor.caughtUp(through: at(11))
        let afterSecond = cursor.caughtUp(through: at(12))
        #expect(afterFirst)
        #expect(!afterSecond)
        let hearing = cursor.hear(through: at(13))
        #expect(hearing == .send(after: at(12)))
    }

    @Test func aPageThatEndsBeforeTheTailAtTheBeginningIsFollowedByAnother() {
        var cursor = StreamCursor()
        _ = cursor.begin(after: at(0), tail: at(2))
        let mustReadOn = cursor.caughtUp(through: at(1))
        #expect(mustReadOn)
    }

    @Test func aGapIsToldBeforeAnythingLive() {
        var cursor = StreamCursor()
        let mustRead = cursor.begin(after: at(0), tail: at(0), hasGap: true)
        let hearing = cursor.hear(through: at(1))
        #expect(mustRead)
        #expect(hearing == .ignore)
    }

    /// The page may end before the log's end with nothing of the stream's in it, because others post on other topics.
    @Test func aGapThatIsNotToldYetIsReadOnFor() {
        var cursor = StreamCursor()
        _ = cursor.begin(after: at(0), tail: at(10), hasGap: true)
        let mustReadOn = cursor.caughtUp(through: at(10), hasGap: true)
        let hearing = cursor.hear(through: at(12))
        #expect(mustReadOn)
        #expect(hearing == .ignore)
        let isTold = cursor.caughtUp(through: at(12), hasGap: false)
        #expect(!isTold)
    }

    @Test func anOverlappingPatternHearsARunOnce() {
        var cursor = StreamCursor()
        _ = cursor.begin(after: at(0), tail: at(0))
        let first = cursor.hear(through: at(3))
        let second = cursor.hear(through: at(3))
        #expect(first == .send(after: at(0)))
        #expect(second == .ignore)
    }

    /// A random schedule of commits, hearings, pages and refusals by a full outbox, against the one rule that matters:
    /// every position is sent exactly once, in order.
    @Test(arguments: 0..<300)
    func everyPositionIsSentOnceInOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var cursor = StreamCursor()
        var committed: Int64 = .random(in: 0...5, using: &random)
        var heard = committed
        var sent: [Int64] = []
        let start = Int64.random(in: 0...committed, using: &random)
        var isReading = cursor.begin(after: at(start), tail: at(committed))
        var readThrough = start

        func send(_ range: ClosedRange<Int64>) { sent += Array(range) }

        for step in 0..<400 {
            let isLast = step >= 300
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where !isLast:
                committed += .random(in: 1...4, using: &random)
            case 1 where heard < committed:
                heard = isLast ? committed : .random(in: (heard + 1)...committed, using: &random)
                guard case .send(let after) = cursor.hear(through: at(heard)) else { break }
                // A full outbox takes nothing.
                if !isLast, Bool.random(using: &random) {
                    cursor.fallBehind(to: after)
                    readThrough = after.rawValue
                    isReading = true
                } else {
                    send((after.rawValue + 1)...heard)
                }
            case _ where isReading && readThrough < committed:
                let through = isLast ? committed : .random(in: (readThrough + 1)...committed, using: &random)
                send((readThrough + 1)...through)
                readThrough = through
                isReading = cursor.caughtUp(through: at(through))
            default: break
            }
        }
        #expect(sent == Array((start + 1)..<(committed + 1)), "seed \(seed)")
    }
}
