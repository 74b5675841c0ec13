import Crypto
import Foundation
import Testing

@testable import Webhooks

@Suite("SigningSecrets")
struct SigningSecretsTests {
    @Test("a replaced secret signs for a day more, after the new one")
    func overlap() {
        let (old, new) = (SigningSecret.generate(), SigningSecret.generate(.ed25519))
        let rotated = SigningSecrets(old).rotated(to: new, at: 1000)
        let end: Int64 = 1000 + 24 * 3600 * 1000
        #expect(rotated == SigningSecrets(new, previous: .init(old, until: end)))
    }

    @Test("two sign at most: a second rotation ends the oldest")
    func twice() {
        let secrets = (0..<3).map { _ in SigningSecret.generate() }
        let rotated = SigningSecrets(secrets[0]).rotated(to: secrets[1], at: 0).rotated(to: secrets[2], at: 1)
        #expect(rotated.current == secrets[2] && rotated.previous?.secret == secrets[1])
    }

    @Test("the present secret again changes nothing, so a repeated request is harmless")
    func again() {
        let once = SigningSecrets(.generate()).rotated(to: .generate(), at: 0)
        #expect(once.rotated(to: once.current, at: 5) == once)
    }
}

@Suite("WebhookSignature and SigningSecret")
struct SigningTests {
    @Test("signs the example of the Standard Webhooks libraries as they do")
    func vector() throws {
        let secret = try SigningSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        let header = WebhookSignature.header(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8),
            secrets: [secret]
        )
        #expect(header == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("signs with Ed25519 as RFC 8032 does, under the tag v1a")
    func asymmetric() throws {
        // RFC 8032, section 7.1, test 2: its private and public keys.
        let secret = try SigningSecret("whsk_TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs=")
        #expect(secret.scheme == .ed25519)
        #expect(secret.publicKey == "whpk_PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=")
        let key = try Curve25519.Signing.PublicKey(
            rawRepresentation: #require(Data(base64Encoded: "PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw="))
        )
        let header = WebhookSignature.header(id: "msg", timestamp: 7, body: Array("body".utf8), secrets: [secret])
        let parts = header.split(separator: ",")
        #expect(parts.first == "v1a")
        let signature = try #require(parts.last.flatMap { Data(base64Encoded: String($0)) })
        #expect(key.isValidSignature(signature, for: Data("msg.7.body".utf8)))
        #expect(!key.isValidSignature(signature, for: Data("msg.8.body".utf8)))
    }

    @Test("a private key with its public half is the same key, with another half none")
    func withPublicHalf() throws {
        let secret = SigningSecret.generate(.ed25519)
        let seed = try #require(Data(base64Encoded: String(secret.text.dropFirst(5))))
        let half = try #require(secret.publicKey.flatMap { Data(base64Encoded: String($0.dropFirst(5))) })
        #expect(try SigningSecret("whsk_" + (seed + half).base64EncodedString()) == secret)
        #expect { try SigningSecret("whsk_" + (seed + seed).base64EncodedString()) } throws: { isInvalid($0) }
        #expect(!"\(secret)".contains(secret.text.dropFirst(5)))
    }

    @Test("signs with each secret, in order, separated by exactly one space")
    func rotation() throws {
        let secrets = [SigningSecret.generate(), SigningSecret.generate()]
        let both = WebhookSignature.header(id: "a", timestamp: 1, body: [], secrets: secrets)
        let single = secrets.map { WebhookSignature.header(id: "a", timestamp: 1, body: [], secrets: [$0]) }
        #expect(both == single.joined(separator: " "))
        #expect(single[0] != single[1])
        #expect(WebhookSignature.header(id: "a", timestamp: 1, body: [], secrets: []) == "")
    }

    @Test("a generated secret reads back as itself and is never the same twice")
    func generate() throws {
        let secret = SigningSecret.generate()
        #expect(secret.text.hasPrefix("whsec_"))
        #expect(try SigningSecret(secret.text) == secret)
        #expect(SigningSecret.generate() != secret)
    }

    @Test("accepts 24 to 64 bytes", arguments: [24, 25, 63, 64])
    func accepts(count: Int) throws {
        _ = try SigningSecret("whsec_" + base64(count))
    }

    @Test("refuses other lengths", arguments: [0, 1, 23, 65, 100])
    func refusesLength(count: Int) {
        #expect { try SigningSecret("whsec_" + base64(count)) } throws: { isInvalid($0) }
    }

    @Test(
        "refuses other texts",
        arguments: [
            "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa!w", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
            " whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n",
        ]
    )
    func refusesText(text: String) {
        #expect { try SigningSecret(text) } throws: { isInvalid($0) }
    }

    @Test("is redacted wherever it is printed, also inside an endpoint")
    func redacted() throws {
        let text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let secret = try SigningSecret(text)
        let endpoint = Endpoint(
            id: "a",
            url: try WebhookURL("https://example.com", httpsOnly: true),
            secrets: SigningSecrets(secret, previous: .init(secret, until: 1))
        )
        var dumped = ""
        dump(endpoint, to: &dumped)
        dump(secret, to: &dumped)
        for printed in ["\(secret)", String(reflecting: secret), "\(endpoint)", dumped] {
            #expect(!printed.contains("MfKQ9"))
            #expect(!printed.contains("49, 242"))
        }
    }

    private func isInvalid(_ error: any Error) -> Bool {
        (error as? WebhookError)?.code == .secretInvalid
    }

    /// Base64 of zero bytes.
    private func base64(_ count: Int) -> String {
        let full = String(repeating: "AAAA", count: count / 3)
        return full + ["", "AA==", "AAA="][count % 3]
    }
}
