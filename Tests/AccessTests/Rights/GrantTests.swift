import EventLog
import Testing

@testable import Access

@Suite struct GrantTests {
    private static func patterns(_ texts: [String]) throws -> [TopicPattern] {
        try texts.map { try TopicPattern($0) }
    }

    @Test func `each right stands alone`() throws {
        let grant = Grant(publish: try Self.patterns(["a"]), subscribe: try Self.patterns(["b.*"]))
        #expect(grant.allows(.publish, on: try Topic("a")))
        #expect(!grant.allows(.subscribe, on: try Topic("a")))
        #expect(grant.allows(.subscribe, on: try Topic("b.c")))
        #expect(!grant.allows(.manage, on: try Topic("a")))
        #expect(grant.allowsAnything(.publish) && !grant.allowsAnything(.manage))
    }

    @Test func `everything and nothing`() throws {
        for right in Right.allCases {
            #expect(Grant.everything.allows(right, on: try Topic("a.b.c")))
            #expect(Grant.everything.allows(right, on: try TopicPattern("**")))
            #expect(Grant.everything.allowsEverything(right))
            #expect(!Grant.nothing.allows(right, on: try Topic("a")))
            #expect(!Grant.nothing.allows(right, on: try TopicPattern("a")))
            #expect(!Grant.nothing.allowsEverything(right))
        }
        // Together they cover everything but names of one segment; no one of them does.
        #expect(!Grant(publish: try Self.patterns(["*", "*.*", "*.*.**"])).allowsEverything(.publish))
    }

    @Test func `grants of the same patterns are equal, in whatever order`() throws {
        #expect(Grant(publish: try Self.patterns(["a", "b", "a"])) == Grant(publish: try Self.patterns(["b", "a"])))
        #expect(Grant(publish: try Self.patterns(["a"])) != Grant(subscribe: try Self.patterns(["a"])))
    }

    /// Few patterns are compared one by one, many are looked up: both must agree with what the patterns say.
    @Test(arguments: [0, 1, 2, 8, 9, 10, 200])
    func `allows what one of its patterns matches`(count: Int) throws {
        var random = SystemRandomNumberGenerator()
        func name(_ letters: [String]) -> String {
            (0..<Int.random(in: 1...4, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" }
                .joined(separator: ".")
        }
        let patterns: [TopicPattern] = (0..<count).compactMap { _ in
            let end = Int.random(in: 0..<9, using: &random) == 0 ? ".**" : ""
            return try? TopicPattern(name(["a", "b", "c", "d", "*"]) + end)
        }
        let grant = Grant(subscribe: patterns)
        for _ in 0..<2_000 {
            let topic = try Topic(name(["a", "b", "c", "d", "e"]))
            #expect(grant.allows(.subscribe, on: topic) == patterns.contains { $0.matches(topic) }, "\(topic)")
        }
    }
}
