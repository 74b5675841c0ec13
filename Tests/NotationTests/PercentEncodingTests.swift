import Testing

@testable import Notation

@Suite struct PercentEncodingTests {
    /// Every byte that there is in UTF-8, in each form: what is plain stays, and the rest is two digits.
    @Test func `what is plain stays as it is, and nothing else does`() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let printable = String(decoding: UInt8(0x21)...0x7E, as: UTF8.self)
        let forms: [(PercentEncoding.Plain, Set<Character>)] = [
            (.unreserved, Set(letters + "-._~")),
            (.fieldText, Set(printable + " é€").subtracting("%")),
            (.anyButControls, Set(printable + " é€")),
            (.token, Set(letters + "!#$%&'*+-.^_`|~")),
            (.cloudEvents, Set(printable).subtracting("\"%")),
        ]
        let all = (UInt8(0)...0x7F).map { Character(Unicode.Scalar($0)) } + ["é", "€"]
        for (form, plain) in forms {
            for character in all {
                let bytes = String(character).utf8
                let digits = bytes.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
                let expected = plain.contains(character) ? String(character) : digits
                #expect(PercentEncoding.encode(String(character), but: form) == expected, "\(form) \(Array(bytes))")
            }
        }
    }

    @Test func `what is encoded is decoded to the same, unless percent signs are plain`() {
        let text = "a/b?c=50 %41&d\r\n\u{0}\u{7F}\"ü€\u{1F600}"
        for form in [PercentEncoding.Plain.unreserved, .fieldText, .cloudEvents] {
            let encoded = PercentEncoding.encode(text, but: form)
            #expect(PercentDecoding.decode(Array(encoded.utf8)) == text)
        }
        #expect(PercentEncoding.encode("50 %\n", but: .anyButControls) == "50 %%0A")
    }

    @Test func `what is appended comes after what is there`() {
        var bytes = Array("x: ".utf8)
        PercentEncoding.append("a\nb", but: .fieldText, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "x: a%0Ab")
    }
}
