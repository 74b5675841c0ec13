import MicroHTTP
import Webhooks
import Testing

@testable import Clarion
@testable import EventLog

@Suite struct EventTypesTests {
    private func event(type: String?) throws -> Event {
        let id = EventID(epoch: try #require(LogEpoch("y7nqw0v9e7ff")), position: Position(1))
        return Event(id: id, topic: try Topic("t"), type: type, data: [], time: .now())
    }

    @Test func withoutTypesEverythingIsWanted() throws {
        let filter = try EventTypes(nil)
        #expect(filter.areAll)
        #expect(filter.contain(try event(type: nil)))
        #expect(filter.contain(try event(type: "a")))
    }

    @Test(arguments: ["", ",", ",,"]) func aFilterThatNamesNoTypeIsRefused(parameter: String) {
        #expect(throws: Problem.self) { try EventTypes(parameter) }
    }

    @Test func typesAreComparedByTheirBytes() throws {
        let filter = try EventTypes("b,\u{E9}")
        #expect(!filter.areAll)
        #expect(filter.contain(try event(type: "\u{E9}")))
        #expect(filter.contain(try event(type: "b")))
        #expect(!filter.contain(try event(type: "e\u{301}")))
        #expect(!filter.contain(try event(type: nil)))
        #expect(!filter.contain(try event(type: "b,\u{E9}")))
    }

    @Test func aCommaSeparatesWhateverFollowsIt() throws {
        let filter = try EventTypes("a,\u{301}b")
        #expect(filter.contain(try event(type: "a")))
    }

    @Test func moreThanAHundredAreRefused() throws {
        #expect(throws: Never.self) { try EventTypes(Array(repeating: "a", count: 100).joined(separator: ",")) }
        let problem = #expect(throws: Problem.self) {
            try EventTypes(Array(repeating: "a", count: 101).joined(separator: ","))
        }
        #expect(problem?.code == "parameter-invalid")
    }
}
