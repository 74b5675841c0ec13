import Testing

@testable import Webhooks

@Suite("Target")
struct TargetTests {
    private func target(_ url: String) throws -> Target {
        Target(Endpoint(id: "a", url: try WebhookURL(url, httpsOnly: false), secrets: SigningSecrets(.generate())))
    }

    @Test("after a time-out over TLS attempts do not share connections for an hour")
    func timeout() throws {
        let target = try target("https://example.com/")
        #expect(target.isMultiplexed(at: 5))
        target.timedOut(at: 1000)
        #expect(!target.isMultiplexed(at: 1000))
        #expect(!target.isMultiplexed(at: 3_600_999))
        #expect(target.isMultiplexed(at: 3_601_000))
    }

    @Test("a secret that was replaced signs until its time is over")
    func signers() throws {
        let secrets = SigningSecrets(.generate(), previous: .init(.generate(), until: 1000))
        let url = try WebhookURL("http://example.com/", httpsOnly: false)
        let target = Target(Endpoint(id: "a", url: url, secrets: secrets))
        #expect(target.signers(at: 999).count == 2)
        #expect(target.signers(at: 1000).count == 1)
    }

    @Test("without TLS nothing is multiplexed anyway")
    func plain() throws {
        let target = try target("http://example.com/")
        target.timedOut(at: 1000)
        #expect(target.isMultiplexed(at: 1000))
    }
}
