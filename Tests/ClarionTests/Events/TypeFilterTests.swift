import MicroHTTP
import Webhooks
import EventLog
import Testing

@testable import Clarion

@Suite struct TypeFilterTests {
    private func event(type: String?) throws -> Event {
        let id = EventID(epoch: try #require(LogEpoch("y7nqw0v9e7ff")), position: Position(1))
        return Event(id: id, topic: try Topic("t"), type: type, data: [], time: .now())
    }

    @Test func withoutTypesEverythingIsWanted() throws {
        for filter in [TypeFilter(nil), TypeFilter(""), TypeFilter(",")] {
            #expect(filter.isOpen)
            #expect(filter.selects(try event(type: nil)))
            #expect(filter.selects(try event(type: "a")))
        }
    }

    @Test func typesAreComparedByTheirBytes() throws {
        let filter = TypeFilter("b,\u{E9}")
        #expect(!filter.isOpen)
        #expect(filter.selects(try event(type: "\u{E9}")))
        #expect(filter.selects(try event(type: "b")))
        #expect(!filter.selects(try event(type: "e\u{301}")))
        #expect(!filter.selects(try event(type: nil)))
        #expect(!filter.selects(try event(type: "b,\u{E9}")))
    }

    @Test func aCommaSeparatesWhateverFollowsIt() throws {
        #expect(TypeFilter("a,\u{301}b").selects(try event(type: "a")))
    }
}
