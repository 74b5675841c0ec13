import JSON
import MicroHTTP
import Testing

@testable import Clarion

@Suite struct JSONMembersTests {
    private func parse(_ text: String) throws -> JSONValue {
        try #require(JSONValue(parsing: Array(text.utf8)))
    }

    @Test func aTypoIsRefusedWithItsPointer() throws {
        let problem = #expect(throws: Problem.self) {
            try JSONMembers(parse(#"{"urll": "x", "url": "y"}"#), known: ["url", "topics"])
        }
        #expect(problem?.code == "member-unknown")
        #expect(problem?.pointer == "/urll")
        #expect(problem?.detail == #"There is no member "urll". Did you mean "url"? Known ones: topics, url."#)
    }

    @Test func aWrongTypeIsRefusedWithItsPointer() throws {
        let members = try JSONMembers(parse(#"{"topics": ["a", 1], "n": 1.5}"#), known: ["topics", "n"])
        #expect(#expect(throws: Problem.self) { try members.strings("topics") }?.pointer == "/topics/1")
        #expect(#expect(throws: Problem.self) { try members.integer("n", in: 0...9) }?.pointer == "/n")
    }
}
