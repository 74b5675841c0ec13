import EventLog
import Testing

@Suite struct TopicPatternCoveringTests {
    @Test(arguments: [
        ("orders.**", "orders.*", true), ("orders.**", "orders.eu", true), ("orders.**", "orders.*.a", true),
        ("orders.**", "orders.**", true), ("orders.*", "orders.**", false), ("orders.*", "orders.eu", true),
        ("orders.*", "orders.eu.a", false), ("orders.**", "orders", false), ("**", "*", true), ("**", "**", true),
        ("*", "**", false), ("*", "a", true), ("*", "a.b", false), ("*.**", "**", false), ("*.**", "*.*.*", true),
        ("a", "*", false), ("a", "a", true), ("a", "ab", false), ("*.b", "*.*", false), ("a..*", "a.*.*", false),
    ])
    func `one pattern covers another`(one: String, other: String, isCovered: Bool) throws {
        #expect(try TopicPattern(one).covers(TopicPattern(other)) == isCovered)
    }

    /// Every pattern of up to three segments against every other. Topics have one segment more than any pattern, and a
    /// letter that no pattern names: what stands for anything must be seen to stand for those.
    @Test(arguments: [["a", "b"], ["a", ""]])
    func `covers what matches whatever the other matches`(letters: [String]) throws {
        let patterns = Self.names(of: letters + ["*"], upTo: 3, last: ["**"]).compactMap { try? TopicPattern($0) }
        let topics = Self.names(of: letters + ["c"], upTo: 4, last: []).compactMap { try? Topic($0) }
        var covered = 0
        for one in patterns {
            for other in patterns {
                let expected = topics.allSatisfy { !other.matches($0) || one.matches($0) }
                #expect(one.covers(other) == expected, "\(one) and \(other)")
                if expected { covered += 1 }
            }
        }
        #expect(covered > patterns.count)
    }

    /// All texts of one to `count` segments, each of `letters`, the last also of `last`.
    private static func names(of letters: [String], upTo count: Int, last: [String]) -> [String] {
        var heads = [""]
        var names: [String] = []
        for _ in 0..<count {
            names += heads.flatMap { head in (letters + last).map { head + $0 } }
            heads = heads.flatMap { head in letters.map { "\(head)\($0)." } }
        }
        return names
    }
}
