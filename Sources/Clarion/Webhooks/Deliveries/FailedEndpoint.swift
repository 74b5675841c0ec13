import EventLog
import Webhooks

/// An endpoint that is to be disabled, on its way from the dispatcher to the registry.
struct FailedEndpoint: Sendable {
    /// Why: stable words that the API shows.
    enum Reason: String, Sendable {
        /// It answered 410.
        case gone
        /// It failed for long without one success.
        case failing
    }

    /// The observer's id.
    let id: ObserverID
    /// Where it failed; the observer may have another URL by now.
    let url: WebhookURL?
    /// How often it had been enabled again by then (`Endpoint.generation`).
    var generation = 0
    let reason: Reason
    /// How many deliveries are dead letters by what it failed with: they wait no more.
    var deadLetters = 0
}
