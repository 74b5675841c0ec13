import FoundationEssentials
import JSON
import Testing

@testable import Access

@Suite struct EdwardsPointTests {
    private func key(_ bytes: [UInt8]) throws -> JSONWebKey {
        let x = Data(bytes).base64EncodedString().map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" }
        return try JSONWebKey(.object(["kty": .string("OKP"), "crv": .string("Ed25519"), "x": .string(String(x))]))
    }

    /// Of order 1, 2, 4 and 8, in each way they can be written (RFC 8032 section 5.1.2).
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ])
    func `a key for which anybody can sign is none`(hexadecimal: String) {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        var bytes = stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        for _ in 0..<2 {
            #expect(throws: JSONWebKeyFault.self) { try key(bytes) }
            bytes[31] |= 0x80
        }
    }

    /// The public key of RFC 8032 section 7.1, test 1.
    @Test func `others are`() throws {
        let hexadecimal = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a".compactMap(\.hexDigitValue)
        _ = try key(stride(from: 0, to: 64, by: 2).map { UInt8(hexadecimal[$0] << 4 | hexadecimal[$0 + 1]) })
    }
}
