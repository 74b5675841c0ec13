@testable import Webhooks

extension WebhookSignature {
    /// One signature per secret, in their order.
    static func header(id: String, timestamp: Int64, body: [UInt8], secrets: [SigningSecret]) -> String {
        header(id: id, timestamp: timestamp, body: body, signers: secrets.map(Signer.init))
    }
}
