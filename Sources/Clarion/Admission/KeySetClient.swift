import Access
import FoundationEssentials
import Webhooks

/// Fetches key sets as deliveries are made: only addresses that egress allows, within a delivery's time.
struct KeySetClient: KeySetFetcher {
    let dispatcher: WebhookDispatcher

    func fetch(_ url: URL) async throws -> [UInt8] {
        try await dispatcher.fetch(WebhookURL(url.absoluteString, httpsOnly: false), atMost: 1 << 20)
    }

    func refusal(of url: URL) -> String? {
        do throws(WebhookError) {
            _ = try WebhookURL(url.absoluteString, httpsOnly: false)
            return nil
        } catch {
            return "It can never be fetched: \(error.message)"
        }
    }
}
