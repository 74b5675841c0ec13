import Notation
import Testing

@Suite struct ASCIITests {
    private let all = (UInt8.min...UInt8.max)

    private func text(_ isMember: (UInt8) -> Bool) -> String {
        String(decoding: all.filter(isMember), as: UTF8.self)
    }

    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + "abcdefghijklmnopqrstuvwxyz"

    @Test func `no other byte is a digit or a letter`() {
        #expect(text(\.isDigit) == "0123456789")
        #expect(text(\.isLetter) == Self.letters)
    }

    @Test func `a token has letters, digits and fifteen other characters`() {
        let punctuation = Set("!#$%&'*+-.^_`|~".utf8)
        #expect(all.filter(\.isTokenCharacter) == all.filter { $0.isDigit || $0.isLetter || punctuation.contains($0) })
    }

    @Test func `only letters have a lower case`() {
        let changed = all.filter { $0.asciiLowercased != $0 }
        #expect(changed == Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8))
        #expect(changed.map(\.asciiLowercased) == Array("abcdefghijklmnopqrstuvwxyz".utf8))
    }

    @Test func `only letters of ASCII are the same in either case`() {
        #expect("Chunked".utf8.isEqual(to: "chunked"))
        // The sign for kelvins, a `k` in Unicode's lower case, and the dotless letter that is an `I` in its upper case.
        for other in ["chun\u{212A}ed", "chunke", "chunkedd", "", "chunk\u{0131}d"] {
            #expect(!other.utf8.isEqual(to: "chunked"))
        }
        #expect("X-\u{212A}eY\u{C4}".asciiLowercased == "x-\u{212A}ey\u{C4}")
    }

    @Test func `hexadecimal digits have a value in either case`() {
        #expect(text { $0.hexDigitValue != nil } == "0123456789ABCDEFabcdef")
        for value in UInt8(0)..<16 {
            #expect(UInt8(hexDigitOf: value).hexDigitValue == value)
            #expect(UInt8(upperHexDigitOf: value).hexDigitValue == value)
        }
    }

    @Test func `numbers are written with all their hexadecimal digits, bytes with two each`() {
        #expect(String(hexadecimal: 10, digits: 4) == "000a")
        #expect(String(hexadecimal: UInt64.max) == "ffffffffffffffff")
        #expect(String(hexadecimal: 0x00f3_a1b2_c4d5_e6f7) == "00f3a1b2c4d5e6f7")
        #expect(String(hexadecimal: [0, 9, 0xAB, 0xFF] as [UInt8]) == "0009abff")
    }

    @Test(arguments: ["0", "7", "007", "65535", "00000000000000000000000065535"])
    func `digits are a number`(text: String) {
        #expect(UInt16(digits: text.utf8) == UInt16(text))
    }

    @Test(arguments: ["", "+7", "-7", " 7", "7 ", "1_000", "٧", "７", "0x7", "65536", "7\0"])
    func `all else is none`(text: String) {
        #expect(UInt16(digits: text.utf8) == nil)
    }
}
