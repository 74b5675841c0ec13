import Foundation
import Testing

@testable import Access

@Suite struct Base64URLTests {
    @Test func `every length comes back, and is what Foundation writes`() throws {
        for count in 0..<70 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
            let text = Base64URL.encode(bytes)
            let expected = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            #expect(text == expected.filter { $0 != "=" })
            #expect(Base64URL.decode(text.utf8) == bytes)
        }
    }

    /// Of all texts of up to three letters those are taken that are written for some bytes: no two mean the same.
    @Test func `each bytes have one text`() {
        let letters = Array("ABQYZaghwxz0189-_+/=. \n".utf8)
        var texts: [[UInt8]] = [[]]
        for _ in 0..<3 { texts += texts.flatMap { text in letters.map { text + [$0] } } }
        for text in Set(texts) {
            guard let bytes = Base64URL.decode(text) else { continue }
            #expect(Base64URL.encode(bytes) == String(decoding: text, as: UTF8.self))
        }
        #expect(Base64URL.decode("QQ".utf8) == [0x41])
        #expect(Base64URL.decode("QR".utf8) == nil)
    }
}
