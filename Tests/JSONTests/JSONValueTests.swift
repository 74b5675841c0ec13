import JSON
import Randomness
import Testing

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

    /// As Foundation's coder wrote them, which others have stored.
    @Test func whatIsWrittenIsInTheOrderOfBytes() throws {
        let value = try parse(
            #"{"a2":1e300,"a10":1e20,"B":0.1,"b":-0.5,"\u00e9":1e-7,"z":12e18,"e\u0301x":[true,false,null,{}],"/":"\u001f\n/\"\\"}"#
        )
        #expect(
            String(decoding: value.bytes, as: UTF8.self)
                == "{\"/\":\"\\u001f\\n/\\\"\\\\\",\"B\":0.1,\"a10\":1e+20,\"a2\":1e+300,\"b\":-0.5,"
                + "\"e\u{301}x\":[true,false,null,{}],\"z\":1.2e+19,\"\u{e9}\":1e-07}"
        )
    }

    @Test func textIsUnescaped() throws {
        #expect(try parse(#""a\"\\\/\b\f\n\r\t\u00e4\ud83c\udf89ä""#) == .string("a\"\\/\u{8}\u{C}\n\r\tä\u{1F389}ä"))
    }

    @Test(arguments: [
        #"{"a":1,}"#, "[1,]", "\u{FEFF}{}", #"{"a":1,"a":2}"#, #""\ud83c""#, #""\ud83cx""#, #""\ud83c\u0041""#,
        #""\udf89""#, "1e999", String(repeating: "[", count: 33) + String(repeating: "]", count: 33),
    ])
    func whatOthersLetPassIsRefused(text: String) {
        #expect(JSONValue(parsing: Array(text.utf8)) == nil)
    }

    /// What is written is read as the same value.
    @Test(arguments: 0..<100)
    func valuesSurviveWritingAndReading(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func make(_ depth: Int) -> JSONValue {
            switch Int.random(in: 0..<(depth > 3 ? 4 : 6), using: &random) {
            case 0: .null
            case 1: .bool(.random(using: &random))
            case 2: .number(Double(Int.random(in: -1_000_000...1_000_000, using: &random)) / 8)
            case 3:
                .string(
                    String(
                        (0..<Int.random(in: 0...8, using: &random)).map { _ in
                            "a\"\\/\nä\u{1F389}\u{1}".randomElement(using: &random)!
                        }
                    )
                )
            case 4: .array((0..<Int.random(in: 0...4, using: &random)).map { _ in make(depth + 1) })
            default:
                .object(
                    Dictionary(
                        (0..<Int.random(in: 0...4, using: &random)).map { ("k\($0)\"", make(depth + 1)) },
                        uniquingKeysWith: { first, _ in first }
                    )
                )
            }
        }
        let value = make(0)
        #expect(JSONValue(parsing: value.bytes) == value)
    }
}
