import Testing

@testable import Webhooks

@Suite("Destination")
struct DestinationTests {
    @Test("a secret that was replaced signs until its time is over")
    func signers() throws {
        let secrets = SigningSecrets(.generate(), previous: .init(.generate(), until: 1000))
        let url = try WebhookURL("http://example.com/", httpsOnly: false)
        let destination = Destination(Endpoint(id: "a", url: url, secrets: secrets))
        #expect(destination.signers(at: 999).count == 2)
        #expect(destination.signers(at: 1000).count == 1)
    }
}
