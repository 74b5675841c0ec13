@testable import Webhooks

extension WebhookSignature {
    /// The header under secrets that have yet to be made ready to sign.
    static func header(id: String, timestamp: Int64, body: [UInt8], secrets: [SigningSecret]) -> String {
        header(of: prefix(id: id, timestamp: timestamp).utf8 + body, signers: secrets.map { Signer($0) })
    }
}
