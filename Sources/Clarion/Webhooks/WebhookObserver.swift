import JSON
import Locking
import EventLog
import MicroHTTP
import Webhooks

/// A service behind a URL: an observer with a position that the log keeps. The registry owns it; the broadcaster tells it
/// of what is posted, as it does streams.
final class WebhookObserver: StoredObserver {
    let id: ObserverID
    let createdAt: Timestamp
    let webhook: StoredWebhook
    let revision: Int64
    /// How often it was enabled again (`Endpoint.generation`) since this process has it.
    let generation: Int

    /// Which types it wants; made once, since each commit asks.
    let types: EventTypes

    /// What is wrong with it although it was taken.
    let warnings: [WebhookWarning]

    private let deliveries: any DeliveryLog
    /// Ended when another takes its place, and not when it is released: a test of its endpoint, or a replay, may hold it.
    private let registrations = Lock<Registrations?>(nil)

    var topics: [TopicPattern] { webhook.specification.topics }

    var tag: EntityTag { EntityTag(webhook.tag ?? String(revision)) }

    init(
        id: ObserverID,
        webhook: StoredWebhook,
        createdAt: Timestamp,
        revision: Int64,
        generation: Int,
        deliveries: any DeliveryLog,
        warnings: [WebhookWarning]
    ) {
        self.warnings = warnings
        self.id = id
        self.webhook = webhook
        types = EventTypes(webhook.specification.types)
        self.createdAt = createdAt
        self.revision = revision
        self.generation = generation
        self.deliveries = deliveries
    }

    /// Keeps what ends with the observer.
    func hold(_ registrations: Registrations) {
        self.registrations.withLock { $0 = registrations }
    }

    func endHearing() {
        // Released outside the lock: what ends with them takes others.
        let former = registrations.withLock { registrations in
            defer { registrations = registrations.map { Registrations(topics: nil, directory: $0.directory) } }
            return registrations
        }
        withExtendedLifetime(former) {}
    }

    func leave() {
        // Let go outside the lock.
        _ = registrations.withLock { $0.take() }
    }

    private var hears: Bool { registrations.withLock { $0?.topics != nil } }

    /// Has what was committed delivered: from memory as a rule, else from the log.
    func receive(_ frames: EventFrames, _ dispatcher: WebhookDispatcher) {
        guard types.areAll || frames.events.contains(where: types.contain) else { return }
        let endpoint = id.description
        guard let last = frames.events.last, frames.events.count <= Self.mostEvents, frames.size <= Self.mostBytes
        else { return dispatcher.wake(endpoint) }
        let format = webhook.specification.format
        dispatcher.offer(endpoint, in: format, last: last.position.rawValue, size: frames.size) {
            // What took its place reads from the log what was committed before; what took its name has nothing of it.
            self.hears ? frames.events.filter(self.types.contain).map { DueDelivery(of: $0, in: format) } : []
        }
    }

    /// The most data that is handed over in memory, in bytes.
    private static let mostBytes = 1 << 20

    /// The most events that are handed over at a time.
    private static let mostEvents = 512

    var endpoint: Endpoint {
        var endpoint = webhook.endpoint(of: id)
        endpoint.generation = generation
        return endpoint
    }

    func document() async throws(EventLogError) -> JSONValue {
        document(try await deliveries.deliveryStats(of: id))
    }

    func document(_ stats: DeliveryStats) -> JSONValue { document(stats, showingSecret: false) }

    /// The observer as the API shows it; with its secret only in the answer to the request that gave it one.
    func document(_ stats: DeliveryStats, showingSecret: Bool) -> JSONValue {
        var members = commonMembers
        members.merge(webhook.specification.json()) { _, new in new }
        if let consent = webhook.consent?.given {
            members["allowedRate"] = JSONValue(consent.perMinute)
        }
        let secrets = webhook.secrets
        if showingSecret { members["secret"] = .string(secrets.current.text) }
        if let publicKey = secrets.current.publicKey { members["publicKey"] = .string(publicKey) }
        if let previous = secrets.previous, deliveries.now.milliseconds < previous.until {
            let end = deliveries.timeOfDay(at: Timestamp(milliseconds: previous.until))
            members["previousSecretUntil"] = .string(end.rfc3339)
        }
        if let createdBy = webhook.createdBy { members["createdBy"] = .string(createdBy) }
        if let reason = webhook.disabledReason { members["reason"] = .string(reason) }
        members["stats"] = stats.json
        if !warnings.isEmpty { members["warnings"] = .array(warnings.map(\.json)) }
        if let failure = stats.lastFailure { members["lastFailure"] = .string(failure) }
        if let since = stats.failingSince { members["failingSince"] = .string(since.rfc3339) }
        return .object(members)
    }

    var state: ObserverState {
        if webhook.disabledReason != nil { return .disabled }
        return webhook.specification.enabled ? .active : .paused
    }
}
