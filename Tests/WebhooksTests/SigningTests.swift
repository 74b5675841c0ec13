import Testing

@testable import Webhooks

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
            secrets: [secret]
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
