import FoundationEssentials

/// Computes `webhook-signature` as Standard Webhooks defines it: over `id.timestamp.body`.
///
/// Source: https://github.com/standard-webhooks/standard-webhooks, "Signature scheme".
enum WebhookSignature {
    /// What stands before the body in what is signed.
    ///
    /// - Parameters:
    ///   - id: the `webhook-id` header; contains no dot.
    ///   - timestamp: the `webhook-timestamp` header: seconds since 1970, of this attempt.
    static func prefix(id: String, timestamp: Int64) -> String {
        id + "." + String(timestamp) + "."
    }

    /// One signature per signer, in their order, separated by exactly one space: `v1,<base64> v1a,<base64>`.
    ///
    /// - Parameters:
    ///   - content: ``prefix(id:timestamp:)`` and the body exactly as sent.
    ///   - signers: those of all secrets that are valid now, newest first.
    static func header(of content: some DataProtocol, signers: [Signer]) -> String {
        signers.compactMap { $0.signature(of: content) }.joined(separator: " ")
    }
}
