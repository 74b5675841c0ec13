import JSON
import Testing

@testable import Access

@Suite struct ClaimsTests {
    private func subject(_ text: String) throws -> String? {
        let claims = try JSONValue(document: Array(#"{"sub": "\#(text)"}"#.utf8))
        return try Claims(claims).subject
    }

    @Test func `a subject has at most 255 bytes, however many characters they are`() throws {
        let longest = String(repeating: "é", count: 127) + "a"
        #expect(try subject(longest) == longest)
        for text in [longest + "a", String(repeating: "a", count: 256)] {
            #expect(throws: CredentialFault.self) { try subject(text) }
        }
    }

    @Test(arguments: [#"\u0000"#, #"\n"#, #"\u001b[2J"#, #"\u007f"#, #"\u0085"#])
    func `a subject has no control characters`(escape: String) {
        #expect(throws: CredentialFault.self) { try subject("ann\(escape)") }
    }
}
