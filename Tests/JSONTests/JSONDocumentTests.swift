import FoundationEssentials
import JSON
import Randomness
import Testing

@Suite struct JSONDocumentTests {
    @Test(arguments: [
        "null", "true", " false ", "0", "-0", "1.5e-3", "10E+2", "\"\"", "\"\\u00e9\\n\\/\"", "[]", "[1,[2],{}]",
        "{\"a\":{\"b\":[null]},\"a\":1}", "\t\n\r {} ", "\"ä\u{1F389}\"",
    ])
    func textsAreAccepted(text: String) {
        #expect(JSONDocument.isValid(Array(text.utf8)))
    }

    @Test(arguments: [
        "", " ", "nul", "truex", "01", "-", "1.", ".5", "1e", "+1", "0x1", "NaN", "\"", "\"\\x\"", "\"\\u12g4\"",
        "\"\n\"", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "{\"a\":1}}", "[}", "1 2",
        "'a'", "1e999", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"",
    ])
    func othersAreRefused(text: String) {
        #expect(!JSONDocument.isValid(Array(text.utf8)))
    }

    @Test(
        arguments: [
            ("[1,]", .syntax), ("\"\\u12g4\"", .syntax), ("[[[1]]]", .depth(3)), ("[1e999, ", .number),
            ("-" + String(repeating: "9", count: 400), .number), ("\"\\ud800\"", .surrogate), ("\"\\udc00", .surrogate),
            ("\"\\ud800\\u0041\"", .surrogate), ("[[1]]", nil), ("1e300", nil), ("[[],[],{},[]]", nil),
        ] as [(String, JSONFault.Reason?)]
    )
    func theFirstFaultIsNamed(text: String, reason: JSONFault.Reason?) {
        #expect(JSONFault.reason { _ = try JSONDocument(Array(text.utf8), maximumDepth: 3) } == reason)
    }

    @Test(
        arguments: [
            ("a" + String(repeating: "\u{301}", count: 30), true),
            ("a" + String(repeating: "\u{301}", count: 31), false),
            (String(repeating: "a\u{301}\u{323}", count: 1_000), true),
            (String(repeating: #"\u0301\u0323"#, count: 16), false),
            (String(repeating: #"\u0301\u0323"#, count: 15), true),
            (String(repeating: #"\ud834\udd65\u0301"#, count: 16), false),
            (String(repeating: "\u{200D}", count: 100), true),
        ]
    )
    func aStringHasSoManyMarksInARowAtMost(text: String, isTaken: Bool) {
        let quoted = "\"\(text)\""
        for document in [quoted, "[0,\(quoted)]", "{\(quoted):1}", "{\"a\":{\"b\":\(quoted)}}"] {
            let reason = JSONFault.reason { _ = try JSONValue(document: Array(document.utf8)) }
            #expect(reason == (isTaken ? nil : .marks))
            #expect(JSONDocument.isValid(Array(document.utf8)) && JSONValue(parsing: Array(document.utf8)) != nil)
        }
    }

    @Test func membersOfOneNameAreNamedWhereAValueIsMade() {
        let text = #"{"a":[{"b":1,"b":2}]}"#
        #expect(JSONFault.reason { _ = try JSONValue(document: Array(text.utf8)) } == .repeatedMember)
    }

    @Test(
        arguments: [
            ("{\n\"a\": 1,\n\"b\"\n2}", 4), ("{\"a\": 1,\n\"a\"\n: 2}", 2), ("[1,\n1e999,\n2]", 2),
            ("[\n\n\"\\ud800\"]", 3),
            ("[1]\n\n]", 3), ("", 1), ("\"\u{FFFD}", 1),
        ]
    )
    func theLineOfAFaultIsToldToWhoWroteIt(text: String, line: Int) {
        let bytes = Array(text.utf8)
        let fault = #expect(throws: JSONFault.self) { try JSONValue(document: bytes) }
        #expect(fault?.predicate(in: bytes) == "\(fault?.predicate ?? "") (line \(line))")
    }

    @Test func noLineIsToBlameForBytesThatAreNotUTF8() {
        let bytes: [UInt8] = [0x22, 0xC3, 0x28, 0x22]
        let fault = #expect(throws: JSONFault.self) { try JSONValue(document: bytes) }
        #expect(fault?.predicate(in: bytes) == "is not valid JSON")
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        #expect(!JSONDocument.isValid([0x22, 0xC3, 0x28, 0x22]))
    }

    @Test func nestingIsBounded() {
        #expect(
            JSONDocument.isValid(
                Array(repeating: UInt8(ascii: "["), count: 60) + Array(repeating: UInt8(ascii: "]"), count: 60)
            )
        )
        #expect(!JSONDocument.isValid(Array(repeating: UInt8(ascii: "["), count: 1_000_000)))
    }

    /// Whatever is accepted must be read by an independent parser too: it is embedded into documents that others parse.
    /// Foundation's takes more, never less.
    @Test(arguments: 0..<200)
    func whatIsAcceptedParses(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("[]{},:\"\\u0e1-.+ntrfals \u{1}ä".utf8)
        for _ in 0..<200 {
            let length = Int.random(in: 1...12, using: &random)
            let bytes = (0..<length).map { _ in alphabet.randomElement(using: &random)! }
            if JSONDocument.isValid(bytes) {
                // Builds without looking: it must not run off the end of anything that passed the check.
                _ = JSONValue(parsing: bytes)
                #expect(
                    (try? JSONDecoder().decode(Anything.self, from: Data(bytes))) != nil,
                    "\(String(decoding: bytes, as: UTF8.self))"
                )
            }
        }
    }
}

extension JSONFault {
    /// Why what is run fails; nil if it does not.
    static func reason(of body: () throws -> Void) -> Reason? {
        do {
            try body()
            return nil
        } catch { return (error as? JSONFault)?.reason }
    }
}

/// Decodes from every document, whatever it holds.
private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
}
