import Testing

@testable import Webhooks

@Suite("Destination")
struct TargetTests {
    private func destination(_ url: String) throws -> Destination {
        Destination(Endpoint(id: "a", url: try WebhookURL(url, httpsOnly: false), secrets: SigningSecrets(.generate())))
    }

    @Test("after a time-out over TLS attempts do not share connections for an hour")
    func timeout() throws {
        let destination = try destination("https://example.com/")
        #expect(destination.isMultiplexed(at: 5))
        destination.timedOut(at: 1000)
        #expect(!destination.isMultiplexed(at: 1000))
        #expect(!destination.isMultiplexed(at: 3_600_999))
        #expect(destination.isMultiplexed(at: 3_601_000))
    }

    @Test("a secret that was replaced signs until its time is over")
    func signers() throws {
        let secrets = SigningSecrets(.generate(), previous: .init(.generate(), until: 1000))
        let url = try WebhookURL("http://example.com/", httpsOnly: false)
        let destination = Destination(Endpoint(id: "a", url: url, secrets: secrets))
        #expect(destination.signers(at: 999).count == 2)
        #expect(destination.signers(at: 1000).count == 1)
    }

    @Test("without TLS nothing is multiplexed anyway")
    func plain() throws {
        let destination = try destination("http://example.com/")
        destination.timedOut(at: 1000)
        #expect(destination.isMultiplexed(at: 1000))
    }
}
