import EventLog
import Testing

@Suite struct TopicTests {
    @Test(arguments: [
        "a", "orders.created", "https://example.com/books/1", "a..b", ".a", "a.", "...", "grüße", "日本.東京", "#?&%/",
        String(repeating: "x", count: 255),
    ])
    func `takes every legal name as it is`(name: String) throws {
        #expect(try Topic(name).name == name)
        #expect(try Topic(utf8: Array(name.utf8)).name == name)
    }

    @Test(arguments: [
        "", ".", "..", "a b", "a\tb", "a\nb", "a\u{0}", "\u{7F}", "a\u{85}", "a\u{A0}b", "\u{2003}", "\u{3000}", "*",
        "a.*",
        "a*b", String(repeating: "x", count: 256), String(repeating: "ü", count: 128),
    ])
    func `refuses every other`(name: String) {
        #expect { try Topic(name) } throws: { ($0 as? TopicError)?.code == "topic-invalid" }
    }

    @Test func `refuses bytes that are not UTF-8 instead of repairing them`() {
        #expect(throws: TopicError.self) { try Topic(utf8: [0x61, 0xFF]) }
        #expect(throws: TopicError.self) { try Topic(utf8: [0xC3]) }
        #expect(throws: TopicError.self) { try Topic(utf8: [0xED, 0xA0, 0x80]) }
    }

    @Test func `compares bytes, not what they look like`() throws {
        let (composed, decomposed) = (try Topic("caf\u{E9}"), try Topic("cafe\u{301}"))
        #expect(composed.name == decomposed.name)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(!TopicPattern(composed).matches(decomposed))
        #expect(try !TopicPattern("*.caf\u{E9}").matches(Topic("a.cafe\u{301}")))
        #expect(TopicPattern(composed) != TopicPattern(decomposed))
    }
}
