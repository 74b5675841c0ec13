import EventLog
import JSON
import MicroHTTP

/// An observer that the log keeps: a webhook.
protocol StoredObserver: HubObserver {
    /// Increases with each change.
    var revision: Int64 { get }

    /// Names what the webhook was registered with, to be compared when it is changed. It does not change with the figures of its
    /// deliveries.
    var tag: EntityTag { get }

    /// Has it hear nothing more, whoever still holds it: another takes its place. It stays listed until that is.
    func endHearing()

    /// The same, and takes it off the directory: it is deleted.
    func leave()

    /// The observer as the API shows it, with what became of its deliveries.
    func document(_ stats: DeliveryStats) -> JSONValue
}

extension StoredObserver {
    var kind: ObserverKind { .webhook }
}
