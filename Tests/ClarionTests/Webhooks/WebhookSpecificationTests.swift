import MicroHTTP
import Testing
import Webhooks

@testable import Clarion

@Suite struct WebhookSpecificationTests {
    private func specification(_ text: String) throws -> WebhookSpecification {
        let value = try #require(JSONValue(parsing: Array(text.utf8)))
        return try WebhookSpecification(value, httpsOnly: false)
    }

    @Test func theSmallestOneHasTheDefaults() throws {
        let webhook = try specification(#"{"topics": ["orders.*"], "url": "https://example.com/hook"}"#)
        #expect(webhook.maxInFlight == 16)
        #expect(webhook.enabled)
        #expect(!webhook.ordered)
        #expect(webhook.ratePerSecond == nil)
        #expect(webhook.types.isEmpty)
    }

    @Test(arguments: [
        (#"{"url": "https://a.example"}"#, "/topics"),
        (#"{"topics": [], "url": "https://a.example"}"#, "/topics"),
        (#"{"topics": ["a b"], "url": "https://a.example"}"#, "/topics/0"),
        (#"{"topics": ["a"]}"#, "/url"),
        (#"{"topics": ["a"], "url": "ftp://a.example"}"#, "/url"),
        (#"{"topics": ["a"], "url": "https://u:p@a.example"}"#, "/url"),
        (#"{"topics": ["a"], "url": "https://a.example", "maxInFlight": 0}"#, "/maxInFlight"),
        (#"{"topics": ["a"], "url": "https://a.example", "ratePerSecond": -1}"#, "/ratePerSecond"),
        (#"{"topics": ["a"], "url": "https://a.example", "headers": {"Host": "x"}}"#, "/headers/Host"),
        (#"{"topics": ["a"], "url": "https://a.example", "secret": "short"}"#, "/secret"),
        (#"{"topics": ["a"], "url": "https://a.example", "types": ["a\nb"]}"#, "/types/0"),
        (#"{"topics": ["a"], "url": "https://a.example", "enable": true}"#, "/enable"),
    ])
    func aMistakeIsRefusedWithItsPointer(text: String, pointer: String) {
        #expect(#expect(throws: Problem.self) { try specification(text) }?.pointer == pointer)
    }

    @Test func whatIsStoredIsReadAgain() throws {
        let text = """
            {"topics": ["orders.*", "a"], "url": "https://example.com/hook", "types": ["x"], "ordered": true, \
            "headers": {"Authorization": "Bearer t", "X-Team": "blue"}, "description": "d", "maxInFlight": 3, \
            "ratePerSecond": 2.5, "enabled": false}
            """
        let secret = SigningSecret.generate()
        let stored = StoredWebhook(specification: try specification(text), secret: secret, disabledReason: "gone")
        let read = try StoredWebhook(document: stored.document)
        #expect(read.secret == secret)
        #expect(read.disabledReason == "gone")
        #expect(read.patchable == stored.patchable)
        #expect(read.specification.headers == stored.specification.headers)
    }

    @Test func theAPIShowsNeitherSecretNorCredentials() throws {
        let text = #"{"topics": ["a"], "url": "https://a.example", "headers": {"Authorization": "Bearer t"}}"#
        let shown = JSONValue.object(try specification(text).json())
        let json = String(decoding: shown.bytes, as: UTF8.self)
        #expect(!json.contains("Bearer"))
        #expect(!json.contains("whsec_"))
    }
}
