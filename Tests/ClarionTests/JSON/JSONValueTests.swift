import MicroHTTP
import Testing

@testable import Clarion

@Suite struct JSONValueTests {
    private func parse(_ text: String) throws -> JSONValue {
        try #require(JSONValue(parsing: Array(text.utf8)))
    }

    /// The examples of RFC 7396, appendix A.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
    func mergePatchFollowsItsRFC(original: String, patch: String, result: String) throws {
        #expect(try parse(original).merging(parse(patch)) == parse(result))
    }

    @Test func wholeNumbersKeepTheirForm() throws {
        #expect(String(decoding: try parse("[16, 0.5]").bytes, as: UTF8.self) == "[16,0.5]")
    }

    @Test func aTypoIsRefusedWithItsPointer() throws {
        var members = try JSONMembers(parse(#"{"urll": "x", "url": "y"}"#))
        #expect(try members.string("url") == "y")
        let problem = #expect(throws: Problem.self) { try members.end() }
        #expect(problem?.code == "member-unknown")
        #expect(problem?.pointer == "/urll")
    }

    @Test func aWrongTypeIsRefusedWithItsPointer() throws {
        var members = try JSONMembers(parse(#"{"topics": ["a", 1], "n": 1.5}"#))
        #expect(#expect(throws: Problem.self) { try members.strings("topics") }?.pointer == "/topics/1")
        #expect(#expect(throws: Problem.self) { try members.integer("n", in: 0...9) }?.pointer == "/n")
    }
}
