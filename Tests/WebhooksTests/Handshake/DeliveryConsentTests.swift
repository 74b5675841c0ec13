import Testing

@testable import Webhooks

@Suite("DeliveryConsent")
struct DeliveryConsentTests {
    private func consent(_ origin: String?, rate: String? = nil, failure: FailureClass? = nil) throws -> DeliveryConsent
    {
        let answer = AttemptAnswer(status: 200, failure: failure, allowedOrigin: origin, allowedRate: rate)
        return try DeliveryConsent(answer, origin: "hub.example.com")
    }

    @Test("allows what names the origin, or any", arguments: ["hub.example.com", "*"])
    func allows(origin: String) throws {
        #expect(try consent(origin).perMinute == nil)
        #expect(try consent(origin, rate: "*").perMinute == nil)
        #expect(try consent(origin, rate: "1").perMinute == 1)
        #expect(try consent(origin, rate: "120").perMinute == 120)
    }

    @Test(
        "allows nothing else",
        arguments: [nil, "", "Hub.example.com", "hub.example.com.", "hub.example.co", "*.example.com", "**", "null"]
    )
    func refuses(origin: String?) {
        let failure = #expect(throws: HandshakeFailure.self) { try consent(origin) }
        #expect(failure?.reason == "not-allowed")
    }

    @Test(
        "a rate that is no whole number above 0 bounds nothing",
        arguments: ["", "0", "-1", "1.5", "１", "+1", "fast", "99999999999999999999"]
    )
    func rates(rate: String) throws {
        #expect(try consent("*", rate: rate).perMinute == nil)
    }

    @Test("a failed attempt is no consent, and says why")
    func failed() {
        let failure = #expect(throws: HandshakeFailure.self) { try consent("*", failure: .tlsError) }
        #expect(failure?.reason == "tls-error")
    }
}
