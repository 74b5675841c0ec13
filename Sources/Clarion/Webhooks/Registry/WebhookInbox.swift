import Dispatch
import EventLog

/// What the registry of webhooks is told by others, on threads that do not wait for what it does about it: endpoints that failed
/// for good, and what other nodes of a cluster have changed.
struct WebhookInbox: Sendable {
    private let failed = AsyncStream.makeStream(of: FailedEndpoint.self)
    private let changes = AsyncStream.makeStream(of: ObserverChange.self)

    /// An endpoint is to be disabled.
    func add(_ endpoint: FailedEndpoint) { failed.continuation.yield(endpoint) }

    /// Has a registry take up the webhooks that there are, and then follow what is told.
    ///
    /// - Throws: what ``WebhookRegistry/load()`` does.
    func begin(_ webhooks: WebhookRegistry, in work: BackgroundWork) async throws {
        work.start { [failed] in
            for await endpoint in failed.stream where await !webhooks.disable(endpoint) {
                // What was in the way, a full disk most likely, may have passed by then.
                DispatchQueue.global().asyncAfter(deadline: .now() + 1) { failed.continuation.yield(endpoint) }
            }
        }
        webhooks.store.followObservers { [changes] change in changes.continuation.yield(change) }
        for endpoint in try await webhooks.load() { add(endpoint) }
        // Not before: what was loaded may be older than what is told.
        work.start { [changes] in for await change in changes.stream { await webhooks.take(change) } }
    }

    /// Ends what background work waits for here.
    func finish() {
        failed.continuation.finish()
        changes.continuation.finish()
    }
}
