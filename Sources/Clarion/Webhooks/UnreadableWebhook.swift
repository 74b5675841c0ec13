import JSON
import EventLog
import Locking

/// A webhook of which the log has a document that this version cannot read: it is of another, or damaged. It is shown,
/// so that it can be replaced or deleted, and gets nothing.
final class UnreadableWebhook: StoredObserver {
    let id: ObserverID
    let topics: [TopicPattern]
    let createdAt: Timestamp
    let revision: Int64

    private let types: [String]
    private let warning: WebhookWarning
    private let deliveries: any DeliveryLog
    private let listing = Lock<ObserverDirectory.Listing?>(nil)

    /// The `reason` for which it is disabled, and the failure of deliveries that waited for it.
    static let reason = "unreadable"

    /// - Parameter error: why its document cannot be read.
    init(id: ObserverID, record: ObserverRecord, error: any Error, deliveries: any DeliveryLog) {
        self.id = id
        topics = record.topics
        types = record.types
        createdAt = record.createdAt
        revision = record.revision
        warning = .unreadable(error)
        self.deliveries = deliveries
    }

    var state: ObserverState { .disabled }

    var tag: EntityTag { EntityTag(String(revision)) }

    /// Keeps what ends with the observer.
    func hold(_ listing: ObserverDirectory.Listing) {
        self.listing.withLock { $0 = listing }
    }

    func endHearing() {}

    func leave() {
        // Let go outside the lock.
        _ = listing.withLock { $0.take() }
    }

    func document() async throws(EventLogError) -> JSONValue {
        document(try await deliveries.deliveryStats(of: id))
    }

    func document(_ stats: DeliveryStats) -> JSONValue {
        var members = commonMembers
        members["types"] = .array(types.map(JSONValue.string))
        members["reason"] = .string(Self.reason)
        members["stats"] = stats.json
        members["warnings"] = .array([warning.json])
        return .object(members)
    }
}
