import Testing

@testable import MicroHTTP

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
        #expect(!text.utf8.contains(0))
        #expect(text.utf8.count <= bytes.count)
    }

    @Test(arguments: ["%", "%4", "%4g", "%g4", "%%41", "a%", "%00", "%C3", "%ff", "%ED%A0%80", "\u{0}"])
    func `refuses malformed escapes, what is not UTF-8, and NUL`(text: String) {
        #expect(PercentDecoding.decode(Array(text.utf8)) == nil)
    }

    @Test func `decodes once`() {
        #expect(PercentDecoding.decode(Array("%2541".utf8)) == "%41")
    }

    @Test func `takes a plus for a space only where asked`() {
        #expect(PercentDecoding.decode(Array("a+b%2B".utf8)) == "a+b+")
        #expect(PercentDecoding.decode(Array("a+b%2B".utf8), plusIsSpace: true) == "a b+")
    }
}
