import EventLog
import Testing

@testable import Access

@Suite struct CredentialHashTests {
    /// FIPS 180-4, "abc".
    private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    private static func entry(_ name: String, _ hash: CredentialHash) -> KeyEntry {
        KeyEntry(name: name, hash: hash, grant: .nothing, expires: nil)
    }

    @Test func `is the SHA-256 that every tool computes`() {
        #expect(CredentialHash(of: "abc").hexadecimal == Self.abc)
        #expect(CredentialHash(of: "xabc".dropFirst()).hexadecimal == Self.abc)
        #expect(CredentialHash(of: Array("abc".utf8)) == CredentialHash(of: "abc"))
    }

    @Test func `is read from 64 digits of either case, and from nothing else`() {
        #expect(CredentialHash(hexadecimal: Self.abc) == CredentialHash(of: "abc"))
        #expect(CredentialHash(hexadecimal: Self.abc.uppercased()) == CredentialHash(of: "abc"))
        let others = [
            "", "ba78", Self.abc + "0", Self.abc.dropLast() + "g", Self.abc + " ", "0x" + Self.abc.dropFirst(2),
        ]
        for text in others {
            #expect(CredentialHash(hexadecimal: String(text)) == nil, "\(text)")
        }
    }

    @Test(arguments: [0, 1, 2, 1_000])
    func `every key of a table is found, and no other`(count: Int) {
        let table = KeyTable((0..<count).map { Self.entry("\($0)", CredentialHash(of: "\($0)")) })
        for number in 0..<count { #expect(table.principal(CredentialHash(of: "\(number)"))?.name == "\(number)") }
        #expect(table.principal(CredentialHash(of: "other")) == nil)
    }

    @Test func `hashes that differ in one bit differ`() throws {
        let zero = try #require(CredentialHash(hexadecimal: String(repeating: "0", count: 64)))
        for place in 0..<64 {
            for digit in ["1", "2", "4", "8"] {
                let text = String(repeating: "0", count: place) + digit + String(repeating: "0", count: 63 - place)
                let other = try #require(CredentialHash(hexadecimal: text))
                #expect(KeyTable([Self.entry("a", zero)]).principal(other) == nil)
            }
        }
    }
}
