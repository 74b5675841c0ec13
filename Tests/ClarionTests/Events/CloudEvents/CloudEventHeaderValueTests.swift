import EventLog
import MicroHTTP
import Webhooks
import Randomness
import Testing

@testable import Clarion

@Suite struct CloudEventHeaderValueTests {
    private func decode(_ value: String) -> String? { CloudEventHeaderValue.decode(Array(value.utf8)[...]) }

    /// The specification's own example, and what it says of each case.
    @Test(arguments: [
        ("Euro%20%E2%82%AC%20%F0%9F%98%80", "Euro \u{20AC} \u{1F600}"),
        ("plain", "plain"), ("", ""), ("a b", "a b"), ("%41%62", "Ab"), ("%e2%82%ac", "\u{20AC}"),
        ("%2541", "%41"), ("\"quoted value\"", "quoted value"), ("\"a \\\" b \\\\ c\"", "a \" b \\ c"),
        ("\"50%25 \\%41\"", "50% A"), ("a+b", "a+b"), ("in\"side", "in\"side"),
    ])
    func valuesAreDecodedOnce(value: String, text: String) {
        #expect(decode(value) == text)
    }

    /// The specification's own example, and the three characters of ASCII that it names.
    @Test(arguments: [
        ("Euro \u{20AC} \u{1F600}", "Euro%20%E2%82%AC%20%F0%9F%98%80"), ("plain", "plain"), ("", ""),
        ("\" %\u{7F}\u{A0}", "%22%20%25%7F%C2%A0"), ("!~", "!~"),
    ])
    func valuesAreEncoded(text: String, value: String) {
        #expect(CloudEventHeaderValue.encode(text) == value)
        #expect(decode(value) == text)
    }

    @Test(arguments: ["%C0%A0", "%FF", "%E2%82", "%", "%4", "%zz", "\"open", "\"", "\"a\"b", "\"a\\", "%ED%A0%80"])
    func whatIsNotEncodedRightIsRefused(value: String) {
        #expect(decode(value) == nil)
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        #expect(CloudEventHeaderValue.decode([0x61, 0xE9]) == nil)
        #expect(CloudEventHeaderValue.decode([0x22, 0xE9, 0x22]) == nil)
    }

    @Test(arguments: 0..<100)
    func whatIsEncodedComesBack(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let text = random.text(of: Array("az09 \"%\\+é€😀\u{7F}\u{FFFD}"), upTo: 20)
            let encoded = text.utf8.map { byte in
                let mustBe = byte <= 0x20 || byte >= 0x7F || byte == 0x22 || byte == 0x25
                guard mustBe || Int.random(in: 0..<8, using: &random) == 0 else {
                    return String(decoding: [byte], as: UTF8.self)
                }
                let digits = String(byte, radix: 16, uppercase: .random(using: &random))
                return "%" + (byte < 16 ? "0" : "") + digits
            }.joined()
            #expect(decode(encoded) == text, "\(encoded)")
            let quoted = text.replacing("%", with: "%25").replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            #expect(decode("\"\(quoted)\"") == text, "\(quoted)")
        }
    }
}
