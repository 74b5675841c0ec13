import Crypto
import Foundation
import Randomness
import Testing

@testable import Webhooks

/// Secrets as clients may give them.
@Suite("Secrets, whatever is given")
struct SecretPropertyTests {
    @Test("what is accepted reads back equal, and signs with the very bytes that were given")
    func roundTrip() {
        search(cases: 5000) { random in
            let bytes = (0..<random.number(0...70)).map { _ in UInt8(random.number(0...255)) }
            let text = random.one(of: ["whsec_", "whsk_"]) + Data(bytes).base64EncodedString()
            guard let secret = try? SigningSecret(text) else {
                let isLegal = text.hasPrefix("whsec_") && (24...64).contains(bytes.count)
                return isLegal ? "\(text) is refused" : nil
            }
            guard secret.text == text || secret.scheme == .ed25519 && bytes.count == 64 else {
                return "\(text) is another"
            }
            guard (try? SigningSecret(secret.text)) == secret else { return "\(text) does not come back" }
            return Self.signs(secret, as: bytes) ? nil : "\(text) signs otherwise"
        }
    }

    @Test("what is mutilated is refused, or reads back as what it signs with")
    func mutilated() {
        search(cases: 5000) { random in
            let bytes = (0..<32).map { _ in UInt8(random.number(0...255)) }
            let text = random.mutated(random.one(of: ["whsec_", "whsk_"]) + Data(bytes).base64EncodedString())
            guard let secret = try? SigningSecret(text) else { return nil }
            guard let again = try? SigningSecret(secret.text), again == secret, again.text == secret.text,
                again.publicKey == secret.publicKey
            else { return "\(text) does not come back" }
            guard let bytes = Data(base64Encoded: String(secret.text.drop { $0 != "_" }.dropFirst())) else {
                return text
            }
            return Self.signs(again, as: Array(bytes)) ? nil : "\(text) signs otherwise"
        }
    }

    /// Checked by CryptoKit alone.
    private static func signs(_ secret: SigningSecret, as bytes: [UInt8]) -> Bool {
        let header = WebhookSignature.header(id: "id", timestamp: 1, body: [1], secrets: [secret])
        guard let code = Data(base64Encoded: String(header.drop { $0 != "," }.dropFirst())) else { return false }
        let signed = Data("id.1.".utf8) + [1]
        switch secret.scheme {
        case .hmac:
            return HMAC<SHA256>.isValidAuthenticationCode(
                code,
                authenticating: signed,
                using: SymmetricKey(data: bytes)
            )
        case .ed25519:
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes.prefix(32))
            return key?.publicKey.isValidSignature(code, for: signed) == true
        }
    }
}
