import EventLog
import MicroHTTP
import Webhooks
import FoundationEssentials
import JSON
import Testing

@testable import Clarion

@Suite struct JSONSyntaxTests {
    @Test(arguments: [
        "null", "true", " false ", "0", "-0", "1.5e-3", "10E+2", "\"\"", "\"\\u00e9\\n\\/\"", "[]", "[1,[2],{}]",
        "{\"a\":{\"b\":[null]},\"a\":1}", "\t\n\r {} ", "\"ä\u{1F389}\"",
    ])
    func textsAreAccepted(text: String) {
        #expect(JSONSyntax.isValid(Array(text.utf8)))
    }

    @Test(arguments: [
        "", " ", "nul", "truex", "01", "-", "1.", ".5", "1e", "+1", "0x1", "NaN", "\"", "\"\\x\"", "\"\\u12g4\"",
        "\"\n\"", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "{\"a\":1}}", "[}", "1 2",
        "'a'", "1e999", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"",
    ])
    func othersAreRefused(text: String) {
        #expect(!JSONSyntax.isValid(Array(text.utf8)))
    }

    @Test(
        arguments: [
            ("[1,]", .syntax), ("\"\\u12g4\"", .syntax), ("[[[1]]]", .depth(3)), ("[1e999, ", .number),
            ("-" + String(repeating: "9", count: 400), .number), ("\"\\ud800\"", .surrogate), ("\"\\udc00", .surrogate),
            ("\"\\ud800\\u0041\"", .surrogate), ("[[1]]", nil), ("1e300", nil),
        ] as [(String, JSONFault?)]
    )
    func theFirstFaultIsNamed(text: String, fault: JSONFault?) {
        #expect(JSONSyntax.fault(in: Array(text.utf8), maximumDepth: 3) == fault)
    }

    @Test func membersOfOneNameAreNamedWhereAValueIsMade() {
        #expect(throws: JSONFault.repeatedMember) { try JSONReader.value(of: Array(#"{"a":[{"b":1,"b":2}]}"#.utf8)) }
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        #expect(!JSONSyntax.isValid([0x22, 0xC3, 0x28, 0x22]))
    }

    @Test func nestingIsBounded() {
        #expect(
            JSONSyntax.isValid(
                Array(repeating: UInt8(ascii: "["), count: 60) + Array(repeating: UInt8(ascii: "]"), count: 60)
            )
        )
        #expect(!JSONSyntax.isValid(Array(repeating: UInt8(ascii: "["), count: 1_000_000)))
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
            if JSONSyntax.isValid(bytes) {
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

/// Decodes from every document, whatever it holds.
private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
}
