import MicroHTTP
import Webhooks

extension WebhookRegistry {
    /// Asks the endpoint of a webhook that is to be registered whether it wants deliveries.
    ///
    /// - Throws: `handshake-failed`, with the class of the failure in its detail; ``Webhooks/ProbeRefusal``.
    func consent(to webhook: StoredWebhook, of id: ObserverID) async throws -> StoredWebhook.Consent {
        do {
            let given = try await dispatcher.handshake(with: webhook.endpoint(of: id))
            return StoredWebhook.Consent(url: webhook.specification.url, given: given)
        } catch let error as HandshakeFailure {
            throw Problem(
                .unprocessable,
                code: "handshake-failed",
                detail: "The endpoint did not consent to deliveries (\(error.reason)): \(error.message).",
                pointer: "/url"
            )
        }
    }
}
