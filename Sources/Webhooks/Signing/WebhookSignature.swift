import Crypto
import FoundationEssentials

/// Computes `webhook-signature` as Standard Webhooks defines it: over `id.timestamp.body`.
///
/// Source: https://github.com/standard-webhooks/standard-webhooks, "Signature scheme".
public enum WebhookSignature {
    /// One signature per secret, newest secret first, separated by exactly one space: `v1,<base64> v1,<base64>`.
    ///
    /// - Parameters:
    ///   - id: the `webhook-id` header; contains no dot.
    ///   - timestamp: the `webhook-timestamp` header: seconds since 1970, of this attempt.
    ///   - body: the body exactly as sent.
    ///   - secrets: all that are valid now.
    public static func header(id: String, timestamp: Int64, body: [UInt8], secrets: [SigningSecret]) -> String {
        let head = Array("\(id).\(timestamp).".utf8)
        return secrets.map { $0.signature(head: head, body: body) }.joined(separator: " ")
    }
}

extension SigningSecret {
    /// The version tag and signature of one secret over `head` followed by `body`.
    func signature(head: [UInt8], body: [UInt8]) -> String {
        switch key {
        case .hmac(let bytes):
            var code = HMAC<SHA256>(key: SymmetricKey(data: bytes))
            code.update(data: head)
            code.update(data: body)
            return "v1," + Data(code.finalize()).base64EncodedString()
        }
    }
}
