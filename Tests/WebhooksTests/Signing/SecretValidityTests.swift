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

    @Test("the present secret again ends no other, and gives none more time; two sign at most")
    func rotated() throws {
        let (first, second, third) = (SigningSecret.generate(), SigningSecret.generate(), SigningSecret.generate())
        let secrets = SigningSecrets(first).rotated(to: second, at: 1000)
        #expect(secrets.valid(at: 1000) == [second, first])
        #expect(secrets.previous?.until == 86_401_000)
        #expect(secrets.rotated(to: second, at: 2000) == secrets)
        #expect(secrets.rotated(to: third, at: 2000).valid(at: 2000) == [third, second])
    }
}
