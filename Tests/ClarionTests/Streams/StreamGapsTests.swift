import MicroHTTP
import Webhooks
import EventLog
import Randomness
import Testing

@testable import Clarion

@Suite struct StreamGapsTests {
    @Test func `what was asked for is told as it was asked, once`() {
        var gaps = StreamGaps(.resume(after: Position(5), asked: "as given"))
        #expect(!gaps.isPending)
        gaps.read(lastRemoval: 3, after: "5")
        #expect(gaps.take(if: true) == StreamGap(asked: "as given", reason: .retention))
        gaps.read(lastRemoval: 3, after: "9")
        #expect(gaps.take(if: true) == nil)
    }

    @Test func `a gap waits for the event at which the stream goes on`() {
        var gaps = StreamGaps(.resume(after: Position(5), asked: "5"))
        gaps.read(lastRemoval: 3, after: "5")
        #expect(gaps.take(if: false) == nil)
        // More goes meanwhile: still one gap, from where the stream stood at first.
        gaps.read(lastRemoval: 4, after: "8")
        #expect(gaps.take(if: true) == StreamGap(asked: "5", reason: .retention))
        gaps.read(lastRemoval: 4, after: "9")
        #expect(gaps.take(if: true) == nil)
    }

    @Test func `more that goes afterwards is another gap, from where the stream stands`() {
        var gaps = StreamGaps(.resume(after: Position(5), asked: "as given"))
        gaps.read(lastRemoval: nil, after: "5")
        #expect(gaps.take(if: true) == nil)
        gaps.read(lastRemoval: 1, after: "9")
        #expect(gaps.take(if: true) == StreamGap(asked: "9", reason: .retention))
    }

    @Test func `an unknown id is one gap, also if history is gone`() {
        var gaps = StreamGaps(.unknown(asked: "what"))
        #expect(gaps.isPending)
        gaps.read(lastRemoval: 1, after: "0")
        #expect(gaps.take(if: true) == StreamGap(asked: "what", reason: .unknownID))
        gaps.read(lastRemoval: 1, after: "3")
        #expect(gaps.take(if: true) == nil)
    }

    @Test func `who asks for what there is misses only what goes afterwards`() {
        var gaps = StreamGaps(.rest(after: .start))
        gaps.read(lastRemoval: 7, after: "0")
        #expect(gaps.take(if: true) == nil)
        gaps.read(lastRemoval: 7, after: "4")
        #expect(gaps.take(if: true) == nil)
        gaps.read(lastRemoval: 8, after: "6")
        #expect(gaps.take(if: true) == StreamGap(asked: "6", reason: .retention))
    }

    @Test func `a stream that fell behind misses whatever went after it`() {
        var gaps = StreamGaps()
        gaps.read(lastRemoval: 1, after: "6")
        #expect(gaps.take(if: true) == StreamGap(asked: "6", reason: .retention))
    }

    /// A log in which topics lose their oldest events at any time, read page by page: a gap is told exactly when events
    /// went that the reader had not come to, and not a second time for the same.
    @Test(arguments: 0..<200)
    func `a gap is told if and only if something was missed`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = Model()
        for _ in 0..<Int.random(in: 0...60, using: &random) { model.append(&random) }
        for _ in 0..<Int.random(in: 0...4, using: &random) { model.trim(&random) }
        var position = Int64.random(in: 0...model.tail, using: &random)
        let takesWhatThereIs = Bool.random(using: &random)
        var gaps = StreamGaps(
            takesWhatThereIs ? .rest(after: Position(position)) : .resume(after: Position(position), asked: "asked")
        )
        // What is missed and not told, by the position after which it was noticed first.
        var missed = !takesWhatThereIs && model.hasLost(after: position)
        var noticed: String?
        var isFirst = true
        for _ in 0..<120 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: model.append(&random)
            case 1:
                let hasLost = model.trim(&random, beyond: position)
                if hasLost, !(isFirst && takesWhatThereIs) { missed = true }
            default:
                let page = model.page(after: position, limit: .random(in: 1...6, using: &random))
                gaps.read(lastRemoval: page.lastRemoval, after: "\(position)")
                if missed, noticed == nil { noticed = isFirst && !takesWhatThereIs ? "asked" : "\(position)" }
                // Sometimes a page has nothing that the stream selects.
                let canTell = page.isLast || Bool.random(using: &random)
                let gap = gaps.take(if: canTell)
                #expect(
                    gap == (canTell ? noticed.map { StreamGap(asked: $0, reason: .retention) } : nil),
                    "seed \(seed)"
                )
                if canTell {
                    missed = false
                    noticed = nil
                }
                position = page.scannedThrough
                isFirst = false
            }
        }
    }

    /// Three topics, each with its oldest events gone up to a position.
    private struct Model {
        /// The topic of each event; the first is at position 1.
        private var topics: [Int] = []
        private var removed: [Int64] = [0, 0, 0]
        private var removals: [Int64] = [0, 0, 0]
        private var count: Int64 = 0

        var tail: Int64 { Int64(topics.count) }

        mutating func append(_ random: inout SeededGenerator) {
            topics.append(.random(in: 0..<3, using: &random))
        }

        func hasLost(after position: Int64) -> Bool { removed.contains { $0 > position } }

        private func left(after position: Int64) -> [(position: Int64, topic: Int)] {
            var left: [(position: Int64, topic: Int)] = []
            for (index, topic) in topics.enumerated() {
                let place = Int64(index) + 1
                if place > position, place > removed[topic] { left.append((place, topic)) }
            }
            return left
        }

        /// Returns whether that took something after a position.
        @discardableResult
        mutating func trim(_ random: inout SeededGenerator, beyond position: Int64 = 0) -> Bool {
            let topic = Int.random(in: 0..<3, using: &random)
            let oldest = left(after: 0).filter { $0.topic == topic }.prefix(.random(in: 1...8, using: &random))
            guard let last = oldest.last?.position else { return false }
            removed[topic] = last
            count += 1
            removals[topic] = count
            return last > position
        }

        func page(after position: Int64, limit: Int) -> (lastRemoval: Int64?, scannedThrough: Int64, isLast: Bool) {
            let events = left(after: position).prefix(limit)
            let through = events.count == limit ? events.last?.position ?? tail : tail
            var last: Int64?
            for topic in 0..<3 where removed[topic] > position { last = max(last ?? 0, removals[topic]) }
            return (last, through, through == tail)
        }
    }
}
