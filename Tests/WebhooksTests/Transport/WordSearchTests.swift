import Randomness
import Testing

@testable import Webhooks

@Suite("WordSearch")
struct WordSearchTests {
    /// What it is to find, by comparing each word with each place.
    private func expected(_ words: [[UInt8]], in text: [UInt8]) -> [Int] {
        text.indices.map { place in words.filter { text[place...].starts(with: $0) }.map(\.count).max() ?? 0 }
    }

    @Test("finds the longest of the words that begin at each place, whatever they share")
    func any() {
        search(cases: 20_000) { random in
            let alphabet = Array("ab=".utf8).prefix(random.number(1...3))
            func text(_ most: Int, _ random: inout SeededGenerator) -> [UInt8] {
                (0..<random.number(0...most)).map { _ in random.one(of: Array(alphabet)) }
            }
            let words = (0..<random.number(0...12)).map { _ in text(6, &random) }
            let found = text(40, &random)
            let lengths = WordSearch(words).lengths(in: found)
            return lengths == expected(words, in: found) ? nil : "\(words) in \(found): \(lengths)"
        }
    }

    @Test("bytes are bytes, all 256")
    func bytes() {
        let words = (0...255).map { [UInt8($0)] } + [[255, 0], [0, 255, 7]]
        #expect(WordSearch(words).lengths(in: [255, 0, 255, 7, 8]) == [2, 3, 1, 1, 1])
    }

    @Test("nothing is found of no words, nor in no text")
    func nothing() {
        #expect(WordSearch([]).lengths(in: [1, 2]) == [0, 0])
        #expect(WordSearch([[], []]).lengths(in: [1, 2]) == [0, 0])
        #expect(WordSearch([[1]]).lengths(in: []).isEmpty)
    }
}
