import EventLog
import Testing

@Suite struct TopicPatternTests {
    @Test(arguments: ["*", "**", "a.*", "*.a", "a.*.b", "a.**", "*.**", "*.*", "a..*"])
    func `takes every legal pattern as it is`(text: String) throws {
        #expect(try TopicPattern(text).text == text)
        #expect(try TopicPattern(text).literal == nil)
    }

    @Test func `a pattern without wildcards is one topic`() throws {
        #expect(try TopicPattern("orders.created").literal == Topic("orders.created"))
        #expect(TopicPattern(.of("a")) == .of("a"))
    }

    @Test(arguments: ["", ".", "..", "a b", "**.a", "a.**.b", "a*", "*a", "a.b*", "***", "a.***", "a.com/*"])
    func `refuses every other`(text: String) {
        #expect { try TopicPattern(text) } throws: { ($0 as? TopicError)?.code == "pattern-invalid" }
    }

    @Test(arguments: [
        ("a.*", "a.b", true), ("a.*", "a", false), ("a.*", "a.b.c", false), ("a.*", "a.", true), ("*", "a", true),
        ("*", "a.b", false), ("**", "a", true), ("**", "a.b.c", true), ("a.**", "a", false), ("a.**", "a.b", true),
        ("a.**", "a.b.c.d", true), ("a.**", "b.c", false), ("*.b.**", "a.b", false), ("*.b.**", "a.b.c", true),
        ("*.*", "a..", false), ("*.*.*", "a..", true), ("a", "a", true), ("a", "ab", false), ("a.*", "ab.c", false),
    ])
    func `matches segment by segment`(text: String, name: String, isMatch: Bool) throws {
        #expect(try TopicPattern(text).matches(Topic(name)) == isMatch)
    }

    @Test func `matches what a naive matcher matches`() throws {
        var random = SplitMix(seed: 1)
        var matches = 0
        for _ in 0..<20_000 {
            let topic = Topic.of(random.name(wildcards: false))
            let pattern = TopicPattern.of(random.name(wildcards: true))
            let expected = naiveMatch(pattern.text, topic.name)
            #expect(pattern.matches(topic) == expected, "\(pattern) and \(topic)")
            if expected { matches += 1 }
        }
        #expect(matches > 1_000)
    }
}
