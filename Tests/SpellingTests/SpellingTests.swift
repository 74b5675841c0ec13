import Spelling
import Testing

@Suite struct SpellingTests {
    private let members = ["topics", "url", "types", "maxInFlight", "enabled", "secret"]

    @Test(arguments: [
        ("topic", "topics"), ("tpoics", "topics"), ("Topics", "topics"), ("type", "types"), ("uri", "url"),
        ("max_in_flight", "maxInFlight"), ("max-in-fligth", "maxInFlight"), ("enable", "enabled"), ("secert", "secret"),
    ])
    func `a misspelt name is recognised`(name: String, meant: String) {
        #expect(Spelling.nearest(to: name, among: members) == meant)
    }

    @Test(arguments: [
        "", "x", "id", "key", "callback", "-", "topicsandmore", String(repeating: "topics", count: 100_000),
    ])
    func `any other name is like none`(name: String) {
        #expect(Spelling.nearest(to: name, among: members) == nil)
    }

    @Test func `the nearest wins, and of equally near ones the first`() {
        #expect(Spelling.nearest(to: "limits", among: ["limbs", "limit"]) == "limit")
        #expect(Spelling.nearest(to: "code", among: ["node", "mode"]) == "node")
    }

    @Test func `advice names the nearest and all`() {
        #expect(
            Spelling.advice(on: "topic", known: ["url", "topics"])
                == "Did you mean \"topics\"? Known ones: topics, url."
        )
        #expect(Spelling.advice(on: "id", known: ["url", "topics"]) == "Known ones: topics, url.")
        #expect(Spelling.advice(on: "id", known: []) == "There are none here.")
    }
}
