import Crypto
import FoundationEssentials

extension SigningSecret {
    /// The version tag and the signature over the content; nil if the system has no randomness to sign with.
    func signature(of content: some DataProtocol) -> String? {
        switch key {
        case .hmac(_, var code):
            code.update(data: content)
            return "v1," + Data(code.finalize()).base64EncodedString()
        case .ed25519(let key):
            return (try? key.signature(for: content)).map { "v1a," + $0.base64EncodedString() }
        }
    }
}

extension [SigningSecret] {
    /// The header `webhook-signature` of Standard Webhooks: one signature for each secret, in their order, separated by
    /// exactly one space: `v1,<base64> v1a,<base64>`.
    ///
    /// - Parameter content: `id.timestamp.body`, exactly as sent: the `webhook-id` header, which contains no dot, and the
    ///   `webhook-timestamp` header.
    func signatures(over content: some DataProtocol) -> String {
        compactMap { $0.signature(of: content) }.joined(separator: " ")
    }
}
