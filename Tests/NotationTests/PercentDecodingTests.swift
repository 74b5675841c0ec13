import Randomness
import Testing

@testable import Notation

@Suite struct PercentDecodingTests {
    @Test(arguments: UInt64(0)..<200) func `decodes what was encoded`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let text = generator.text(upTo: 40)
        let encoded = text.percentEncoded(using: &generator)
        #expect(PercentDecoding.decode(Array(encoded.utf8)) == text)
    }

    @Test(arguments: UInt64(0)..<200) func `survives any bytes and answers valid text or nil`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("%%%0123aAfFgG+/\u{0}".utf8) + [0x80, 0xC3, 0xA4, 0xFF]
        let bytes = (0..<20).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
        guard let text = PercentDecoding.decode(bytes) else { return }
        #expect(text.utf8.count <= bytes.count)
    }

    @Test(arguments: ["%", "%4", "%4g", "%g4", "%%41", "a%", "%C3", "%ff", "%ED%A0%80"])
    func `refuses malformed escapes and what is not UTF-8`(text: String) {
        #expect(PercentDecoding.decode(Array(text.utf8)) == nil)
    }

    @Test func `leaves it to others what a NUL may stand in`() {
        #expect(PercentDecoding.decode(Array("a%00b".utf8)) == "a\u{0}b")
    }

    @Test(arguments: UInt64(0)..<50) func `decodes what the hub encodes`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let text = generator.text(upTo: 40)
        let encoded = PercentEncoding.encode(text)
        #expect(encoded.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"/?#&=+".utf8.contains($0) })
        #expect(PercentDecoding.decode(Array(encoded.utf8), plusIsSpace: true) == text)
    }

    @Test func `encodes all that is reserved`() {
        #expect(PercentEncoding.encode("aZ09-._~") == "aZ09-._~")
        #expect(PercentEncoding.encode("a/b &+é\u{0}") == "a%2Fb%20%26%2B%C3%A9%00")
    }

    @Test func `decodes once`() {
        #expect(PercentDecoding.decode(Array("%2541".utf8)) == "%41")
    }

    @Test func `takes a plus for a space only where asked`() {
        #expect(PercentDecoding.decode(Array("a+b%2B".utf8)) == "a+b+")
        #expect(PercentDecoding.decode(Array("a+b%2B".utf8), plusIsSpace: true) == "a b+")
    }
}
