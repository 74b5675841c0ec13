import Testing

@testable import Webhooks

@Suite("Offers")
struct OffersTests {
    private static let mebibyte = 1 << 20

    private let batch = Offers.Batch(format: .raw) { [] }

    @Test("the first that waits is the one to call for, until all were taken")
    func first() {
        var offers = Offers()
        let isFirst = (1...2).map { offers.add(batch, to: "\($0)", last: 1, size: 10) }
        #expect(isFirst == [true, false])
        offers = Offers()
        let isFirstAgain = offers.add(batch, to: "1", last: 2, size: 10)
        #expect(isFirstAgain)
        #expect(offers.waiting.map(\.id) == ["1"] && !offers.isIncomplete)
    }

    @Test("an event's bytes count once, however many endpoints it is for")
    func bytes() {
        var offers = Offers()
        for number in 0..<1000 { _ = offers.add(batch, to: "\(number)", last: 1, size: 20 * Self.mebibyte) }
        #expect(offers.waiting.count == 1000 && !offers.isIncomplete)
        _ = offers.add(batch, to: "0", last: 2, size: 12 * Self.mebibyte)
        #expect(offers.waiting.count == 1001 && !offers.isIncomplete)
        let isFirst = offers.add(batch, to: "0", last: 3, size: 1)
        #expect(!isFirst)
        #expect(offers.waiting.count == 1001 && offers.isIncomplete)
    }

    @Test("one that is too large by itself is called for all the same")
    func tooLarge() {
        var offers = Offers()
        let isFirst = (0..<2).map { offers.add(batch, to: "\($0)", last: 1, size: 32 * Self.mebibyte + 1) }
        #expect(isFirst == [true, false])
        #expect(offers.waiting.isEmpty && offers.isIncomplete)
    }

    @Test("so many wait at most")
    func number() {
        var offers = Offers()
        for number in 0..<65_536 { _ = offers.add(batch, to: "\(number)", last: 1, size: 1) }
        #expect(offers.waiting.count == 65_536 && !offers.isIncomplete)
        _ = offers.add(batch, to: "65536", last: 1, size: 1)
        #expect(offers.waiting.count == 65_536 && offers.isIncomplete)
    }

    @Test("what waits is stale once a topic is deleted; what comes after that is not")
    func expire() {
        var offers = Offers()
        _ = offers.add(batch, to: "1", last: 1, size: 1)
        offers.expire()
        let isFirst = offers.add(batch, to: "2", last: 2, size: 1)
        #expect(!isFirst && offers.waiting.map { $0.batch == nil } == [true, false])
    }

    @Test("of one who is behind nothing is kept but its name, and it is one to call for like others")
    func wake() {
        var offers = Offers()
        let isFirst = offers.wake("a")
        #expect(isFirst)
        // The bytes of an event still count once.
        let isFirstAgain = (0..<2).map { _ in
            defer { _ = offers.wake("b") }
            return offers.add(batch, to: "c", last: 1, size: 32 * Self.mebibyte)
        }
        #expect(isFirstAgain == [false, false] && !offers.isIncomplete)
        #expect(offers.waiting.map(\.id) == ["a", "c", "b", "c", "b"])
        #expect(offers.waiting.map { $0.batch == nil } == [true, false, true, false, true])
    }
}
