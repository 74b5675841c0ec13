import EventLog
import MicroHTTP
import Webhooks
import JSON
import Testing

@testable import Clarion

@Suite struct OrderedJSONTests {
    private func text(_ json: OrderedJSON) -> String { String(decoding: json.bytes, as: UTF8.self) }

    @Test func `members keep their order`() {
        #expect(text(["b": 1, "a": [true, .null, 1.5, "x"], "": [:]]) == #"{"b":1,"a":[true,null,1.5,"x"],"":{}}"#)
    }

    @Test(arguments: ["\"", "\\", "\u{0}\n\r\t\u{1f}", "\u{7f}é\u{2028}😀", ""])
    func `any text is read again as it was`(word: String) throws {
        let json: OrderedJSON = .object([.init(name: word, value: .string(word))])
        #expect(JSONValue(parsing: json.bytes) == .object([word: .string(word)]))
        #expect(JSONValue(parsing: Array(json.indented.utf8)) == .object([word: .string(word)]))
    }

    @Test func `what is absent is left out, and null is not`() {
        #expect(text(.present(["a": nil, "b": .null])) == #"{"b":null}"#)
    }

    @Test func `a schema stands for its name`() {
        let schema = Schema("Colour", ["enum": ["red"]])
        #expect(text(["items": .schema(schema)]) == ##"{"items":{"$ref":"#/components/schemas/Colour"}}"##)
        #expect(text(.nullable(.choice(["a"]))) == #"{"type":["string","null"],"enum":["a",null]}"#)
        #expect(
            text(.nullable(.schema(schema))) == ##"{"anyOf":[{"$ref":"#/components/schemas/Colour"},{"type":"null"}]}"##
        )
    }

    @Test func `a long document has lines, a short one is one`() {
        let short: OrderedJSON = ["a": 1]
        #expect(short.indented == #"{"a":1}"#)
        let long: OrderedJSON = ["a": .string(String(repeating: "x", count: 80)), "b": [1]]
        #expect(long.indented.split(separator: "\n").count == 4)
    }
}
