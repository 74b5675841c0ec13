import EventLog
import FoundationEssentials
import JSON
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
        (#"{"topics": ["a"], "url": "https://a.example", "headers": {"X-a": "x", "x-A": "y"}}"#, "/headers/x-A"),
        (#"{"topics": ["a"], "url": "https://a.example", "secret": "short"}"#, "/secret"),
        (#"{"topics": ["a"], "url": "https://a.example", "types": ["a\nb"]}"#, "/types/0"),
        (#"{"topics": ["a"], "url": "https://a.example", "format": "xml"}"#, "/format"),
        (#"{"topics": ["a"], "url": "https://a.example", "signature": "rsa"}"#, "/signature"),
        (#"{"topics": ["a"], "url": "https://a.example", "enable": true}"#, "/enable"),
    ])
    func aMistakeIsRefusedWithItsPointer(text: String, pointer: String) {
        #expect(#expect(throws: Problem.self) { try specification(text) }?.pointer == pointer)
    }

    @Test func whatIsStoredIsReadAgain() throws {
        let text = """
            {"topics": ["orders.*", "a"], "url": "https://example.com/hook", "types": ["x"], "ordered": true, \
            "headers": {"Authorization": "Bearer t", "X-Team": "blue"}, "description": "d", "maxInFlight": 3, \
            "ratePerSecond": 2.5, "enabled": false, "format": "cloudevents-binary", "signature": "ed25519"}
            """
        let secrets = SigningSecrets(.generate(.ed25519)).rotated(to: .generate(.ed25519), at: 7)
        var stored = StoredWebhook(specification: try specification(text), replacing: nil, at: .now())
        stored.secrets = secrets
        stored.disabledReason = "gone"
        for key in [nil, try Self.key(1)] {
            let document = try stored.document(of: Self.id, sealedWith: key)
            let read = try StoredWebhook(document: document, of: Self.id, key: key)
            #expect(read.secrets == secrets)
            #expect(read.disabledReason == "gone")
            #expect(read.patchable == stored.patchable)
            #expect(read.specification.headers == stored.specification.headers)
        }
    }

    private static var id: ObserverID { get throws { try ObserverID("whk_1") } }

    private static func key(_ byte: UInt8) throws -> MasterKey {
        try MasterKey(base64: Data(repeating: byte, count: 32).base64EncodedString() + "\n")
    }

    private static func sealed() throws -> [UInt8] {
        let text = #"{"topics": ["a"], "url": "https://a.example", "headers": {"Authorization": "Bearer t"}}"#
        let value = try #require(JSONValue(parsing: Array(text.utf8)))
        let specification = try WebhookSpecification(value, httpsOnly: false)
        let webhook = StoredWebhook(specification: specification, replacing: nil, at: .now())
        return try webhook.document(of: try id, sealedWith: try key(1))
    }

    @Test func aMasterKeyHidesSecretsAndCredentials() throws {
        let documents = [try Self.sealed(), try Self.sealed()]
        for document in documents {
            let text = String(decoding: document, as: UTF8.self)
            #expect(!text.contains("whsec_") && !text.contains("Bearer"))
        }
        #expect(documents[0] != documents[1])
    }

    @Test func whatIsSealedOpensWithItsKeyForItsObserverOnly() throws {
        let document = try Self.sealed()
        _ = try StoredWebhook(document: document, of: Self.id, key: Self.key(1))
        func code(_ document: [UInt8], _ id: ObserverID, _ key: MasterKey?) -> String? {
            #expect(throws: HubError.self) { try StoredWebhook(document: document, of: id, key: key) }?.code
        }
        #expect(code(document, try Self.id, nil) == "master-key-missing")
        #expect(code(document, try Self.id, try Self.key(2)) == "master-key-wrong")
        #expect(code(document, try ObserverID("whk_2"), try Self.key(1)) == "master-key-wrong")
        let text = String(decoding: document, as: UTF8.self)
        let changed = text.replacing("aes-256-gcm:", with: "aes-256-gcm:AAAA")
        #expect(code(Array(changed.utf8), try Self.id, try Self.key(1)) == "master-key-wrong")
    }

    @Test(arguments: ["", "short", String(repeating: "A", count: 43), String(repeating: "A", count: 44), "not base64!"])
    func otherTextIsNoMasterKey(text: String) {
        let error = #expect(throws: HubError.self) { try MasterKey(base64: text) }
        #expect(error?.code == "master-key-invalid")
        #expect(text.isEmpty || error?.message.contains(text) == false)
    }

    @Test func aSecretMustFitTheSignature() throws {
        for (signature, secret) in [("ed25519", SigningSecret.generate(.hmac)), ("hmac-sha256", .generate(.ed25519))] {
            let text = """
                {"topics": ["a"], "url": "https://a.example", "signature": "\(signature)", "secret": "\(secret.text)"}
                """
            let problem = #expect(throws: Problem.self) { try specification(text) }
            #expect(problem?.code == "secret-invalid")
            #expect(problem?.pointer == "/secret")
        }
    }

    @Test func anotherSchemeNeedsAnotherSecretAndTheOldOneGoesOn() throws {
        let text = #"{"topics": ["a"], "url": "https://a.example"}"#
        let first = StoredWebhook(specification: try specification(text), replacing: nil, at: .now())
        let same = StoredWebhook(specification: try specification(text), replacing: first, at: .now())
        #expect(same.secrets == first.secrets)
        let other = try specification(text.replacing("}", with: #", "signature": "ed25519"}"#))
        let changed = StoredWebhook(specification: other, replacing: first, at: .now())
        #expect(changed.secrets.current.scheme == .ed25519)
        #expect(changed.secrets.previous?.secret == first.secrets.current)
    }

    @Test func aURLThatIsThereAlreadyNeedNotBeHTTPS() throws {
        let text = #"{"topics": ["a"], "url": "http://a.example/"}"#
        let value = try #require(JSONValue(parsing: Array(text.utf8)))
        let present = try specification(text).url
        #expect(throws: Problem.self) { try WebhookSpecification(value, httpsOnly: true) }
        #expect(try WebhookSpecification(value, httpsOnly: true, present: present).url == present)
        let other = try WebhookURL("http://b.example/", httpsOnly: false)
        #expect(throws: Problem.self) { try WebhookSpecification(value, httpsOnly: true, present: other) }
    }

    @Test func theAPIShowsNeitherSecretNorCredentials() throws {
        let text = #"{"topics": ["a"], "url": "https://a.example", "headers": {"Authorization": "Bearer t"}}"#
        let shown = JSONValue.object(try specification(text).json())
        let json = String(decoding: shown.bytes, as: UTF8.self)
        #expect(!json.contains("Bearer"))
        #expect(!json.contains("whsec_"))
    }
}
