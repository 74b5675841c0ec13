@testable import Webhooks

enum WebhookSignature {
    /// The header under secrets that have yet to be made ready to sign.
    static func header(id: String, timestamp: Int64, body: [UInt8], secrets: [SigningSecret]) -> String {
        secrets.map { Signer($0) }.header(over: "\(id).\(timestamp).".utf8 + body)
    }
}
