/// Computes `webhook-signature` as Standard Webhooks defines it: over `id.timestamp.body`.
///
/// Source: https://github.com/standard-webhooks/standard-webhooks, "Signature scheme".
enum WebhookSignature {
    /// One signature per signer, in their order, separated by exactly one space: `v1,<base64> v1a,<base64>`.
    ///
    /// - Parameters:
    ///   - id: the `webhook-id` header; contains no dot.
    ///   - timestamp: the `webhook-timestamp` header: seconds since 1970, of this attempt.
    ///   - body: the body exactly as sent.
    ///   - signers: those of all secrets that are valid now, newest first.
    static func header(id: String, timestamp: Int64, body: [UInt8], signers: [Signer]) -> String {
        let head = Array("\(id).\(timestamp).".utf8)
        return signers.compactMap { $0.signature(head: head, body: body) }.joined(separator: " ")
    }
}
