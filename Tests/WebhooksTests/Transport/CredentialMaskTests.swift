import Testing

@testable import Webhooks

@Suite("CredentialMask")
struct CredentialMaskTests {
    private func masked(_ text: String, _ headers: [(String, String)], limit: Int = .max) throws -> String {
        let headers = try headers.map { name, value throws(WebhookError) in try CustomHeader(name: name, value: value) }
        return String(decoding: CredentialMask(headers).masked(Array(text.utf8), limit: limit), as: UTF8.self)
    }

    @Test("masks the values of credentials as they were sent, and without their scheme, wherever they are")
    func masks() throws {
        let headers = [("authorization", "Bearer abc123"), ("Cookie", "session=xyz"), ("X-Team", "blue")]
        let text = "Bearer abc123, abc123abc123; Bearer; session=xyz; blue"
        let expected = "[redacted], [redacted][redacted]; Bearer; [redacted]; blue"
        #expect(try masked(text, headers) == expected)
        #expect(try masked(text, []) == text)
    }

    @Test("the longest is masked where one is a part of another")
    func longest() throws {
        #expect(try masked("tokentoken", [("Authorization", "token"), ("Cookie", "tokentoken")]) == "[redacted]")
    }

    @Test("what is too short to be a credential is left")
    func short() throws {
        #expect(try masked("a x", [("Authorization", "B x")]) == "a x")
    }

    @Test("goes so far and no further: a credential that is cut at the end of what was kept is not shown in part")
    func limit() throws {
        let headers = [("Authorization", "Bearer 0123456789")]
        let mask = CredentialMask(try headers.map { try CustomHeader(name: $0.0, value: $0.1) })
        #expect(mask.longest == 17)
        for place in 0...20 {
            let text =
                String(repeating: ".", count: place) + "Bearer 0123456789" + String(repeating: "0123456789", count: 9)
            let kept = String(text.prefix(20 + mask.longest))
            let shown = try masked(kept, headers, limit: 20)
            #expect(!shown.contains("0123") && shown.utf8.count <= 20, "\(place): \(shown)")
        }
    }

    @Test("of an answer with more credentials than are searched for nothing is kept")
    func many() throws {
        let token = String(repeating: "0123456789", count: 400)
        let cookies = (0..<400).map { "k\($0)=v\($0)" }.joined(separator: ";")
        #expect(try masked(token + cookies, [("Authorization", "Bearer " + token), ("Cookie", cookies)]).isEmpty)
        #expect(try masked(token, [("Authorization", "Bearer " + token), ("Cookie", cookies)]) == "[redacted]")
    }
}
