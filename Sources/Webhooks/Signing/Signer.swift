import Crypto
import FoundationEssentials

/// A secret made ready to sign: the key is set up once per registration, not once per attempt.
enum Signer: Sendable {
    /// `v1`, keyed and with nothing hashed yet.
    case hmac(HMAC<SHA256>)
    /// `v1a`.
    case ed25519(Curve25519.Signing.PrivateKey)

    init(_ secret: SigningSecret) {
        switch secret.key {
        case .hmac(let bytes): self = .hmac(HMAC(key: SymmetricKey(data: bytes)))
        case .ed25519(let key): self = .ed25519(key)
        }
    }

    /// The version tag and the signature over the content; nil if the system has no randomness to sign with.
    func signature(of content: some DataProtocol) -> String? {
        switch self {
        case .hmac(var code):
            code.update(data: content)
            return "v1," + Data(code.finalize()).base64EncodedString()
        case .ed25519(let key):
            return (try? key.signature(for: content)).map { "v1a," + $0.base64EncodedString() }
        }
    }
}

extension [Signer] {
    /// The header `webhook-signature` of Standard Webhooks: one signature per signer, in their order, separated by exactly one
    /// space: `v1,<base64> v1a,<base64>`.
    ///
    /// - Parameter content: `id.timestamp.body`, exactly as sent: the `webhook-id` header, which contains no dot, and the
    ///   `webhook-timestamp` header.
    func header(over content: some DataProtocol) -> String {
        compactMap { $0.signature(of: content) }.joined(separator: " ")
    }
}
