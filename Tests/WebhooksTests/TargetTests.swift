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

    @Test("without TLS nothing is multiplexed anyway")
    func plain() throws {
        let target = try target("http://example.com/")
        target.timedOut(at: 1000)
        #expect(target.isMultiplexed(at: 1000))
    }
}
