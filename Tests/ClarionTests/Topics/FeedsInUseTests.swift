import EventLog
import Testing

@testable import Clarion

@Suite("FeedsInUse")
struct FeedsInUseTests {
    private func feed(_ patterns: String..., format: EventEnvelope = .plain) throws -> Feed {
        Feed(patterns: Set(try patterns.map { try TopicPattern($0) }), format: format)
    }

    @Test("A feed whose patterns overlap is found once")
    func overlappingPatterns() throws {
        var feeds = FeedsInUse()
        let member = feeds.retain(try feed("orders.*", "orders.created", "orders.**", "**"))
        #expect(feeds.matching(try Topic("orders.created")) == [member])
        #expect(feeds.matching(try Topic("users.created")) == [member])
    }

    @Test("Observers of the same patterns share a feed, in whatever order they name them, and others do not")
    func sharing() throws {
        var feeds = FeedsInUse()
        let first = feeds.retain(try feed("a", "b"))
        #expect(feeds.retain(try feed("b", "a")) == first)
        let others = [try feed("a"), try feed("a", "b", format: .json)].map { feeds.retain($0) }
        #expect(Set(feeds.matching(try Topic("a"))) == Set([first] + others))
        #expect(Set(feeds.matching(try Topic("b"))) == [first, others[1]])
    }

    @Test("A feed is found for as long as somebody has registered for it, and leaves nothing behind")
    func release() throws {
        var feeds = FeedsInUse()
        let topic = try Topic("a.b")
        let both = try feed("a.b", "a.*")
        let member = feeds.retain(both)
        _ = feeds.retain(both)
        feeds.release(both)
        #expect(feeds.matching(topic) == [member])
        feeds.release(both)
        #expect(feeds.matching(topic).isEmpty)
        feeds.release(both)
        #expect(feeds.matching(topic).isEmpty)
        #expect(feeds.retain(both) != member, "Who let go of the former feed must not hear of the new one")
    }
}
