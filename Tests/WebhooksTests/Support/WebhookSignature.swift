@testable import Webhooks

enum WebhookSignature {
    /// The header of a delivery.
    static func header(id: String, timestamp: Int64, body: [UInt8], secrets: [SigningSecret]) -> String {
        secrets.signatures(over: "\(id).\(timestamp).".utf8 + body)
    }
}
