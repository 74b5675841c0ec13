import Randomness
import Testing

@testable import Webhooks

/// The fields of an answer to a handshake, whatever they say.
@Suite("Handshake fields, whatever they say")
struct HandshakePropertyTests {
    private func consent(_ origin: String?, _ rate: String?) -> DeliveryConsent? {
        try? DeliveryConsent(
            AttemptAnswer(status: 200, allowedOrigin: origin, allowedRate: rate),
            origin: "hub.example.com"
        )
    }

    @Test("a rate is the number it says, or none; a JSON number holds it exactly")
    func rates() {
        search { random in
            let text = random.chance(2) ? random.digits() : random.mutated(random.digits())
            guard let consent = consent("*", text) else { return "\(text) is no consent" }
            let isNumber = !text.isEmpty && text.unicodeScalars.allSatisfy { ("0"..."9").contains($0) }
            let wanted = isNumber ? Int(text).flatMap { $0 > 0 && $0 <= 9_007_199_254_740_991 ? $0 : nil } : nil
            guard consent.perMinute == wanted else { return "\(text) is \(String(describing: consent.perMinute))" }
            return consent.perMinute.flatMap { Int(exactly: Double($0)) } == wanted ? nil : "\(text) does not come back"
        }
    }

    @Test("only the very origin is allowed, or any")
    func origins() {
        search { random in
            let text = random.mutated(
                random.one(of: ["hub.example.com", "*", "Hub.example.com", "", "hub.example.co"])
            )
            let isAllowed = ["hub.example.com", "*"].contains { $0.utf8.elementsEqual(text.utf8) }
            return (consent(text, nil) != nil) == isAllowed ? nil : "\(text.debugDescription)"
        }
    }
}
