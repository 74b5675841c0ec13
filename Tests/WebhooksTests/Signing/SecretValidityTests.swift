import Testing

@testable import Webhooks

@Suite("SigningSecrets: which of them sign")
struct SecretValidityTests {
    @Test("a secret that was replaced signs until its time is over")
    func replaced() throws {
        let secrets = SigningSecrets(.generate(), previous: .init(.generate(), until: 1000))
        #expect(secrets.valid(at: 999).count == 2)
        #expect(secrets.valid(at: 1000).count == 1)
    }
}
