import EventLog
import JSON

/// Everything that listens. The hub holds its observers weakly: each is owned by what it stands for (a stream by its
/// connection, a webhook by the registry), and its registrations go with it.
protocol HubObserver: AnyObject, Sendable {
    var id: ObserverID { get }
    var kind: ObserverKind { get }
    var topics: [TopicPattern] { get }
    var createdAt: Timestamp { get }

    /// Whether it gets events.
    var state: ObserverState { get }

    /// Whether it still hears anything. One that does not is as good as gone, and is not shown.
    var isRegistered: Bool { get }

    /// Ends, in order, because the hub stops. Streams and readers do; who is merely told of events hears no more of them anyway.
    func endWithHub()

    /// The observer as the API shows it.
    func document() async throws(EventLogError) -> JSONValue
}

/// Whether an observer gets events.
enum ObserverState: String, CaseIterable, Sendable {
    case active
    /// Its events are kept for it.
    case paused
    /// It gets nothing until somebody enables it.
    case disabled
}

extension HubObserver {
    var isRegistered: Bool { true }

    var state: ObserverState { .active }

    func endWithHub() {}

    /// The members that every kind has.
    var commonMembers: [String: JSONValue] {
        [
            "id": .string(id.description),
            "kind": .string(kind.rawValue),
            "topics": .array(topics.map { .string($0.text) }),
            "createdAt": .string(createdAt.rfc3339),
            "state": .string(state.rawValue),
        ]
    }
}
