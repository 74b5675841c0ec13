import EventLog

/// Everything that listens. The hub holds its observers weakly: each is owned by what it stands for (a stream by its
/// connection's response, a webhook by the registry), and its registrations go with it.
protocol HubObserver: AnyObject, Sendable {
    var id: ObserverID { get }
    var kind: ObserverKind { get }
    var topics: [TopicPattern] { get }
    var createdAt: Timestamp { get }

    /// The observer as the API shows it.
    func document() async throws(EventLogError) -> JSONValue
}

extension HubObserver {
    /// The members that every kind has.
    var commonMembers: [String: JSONValue] {
        [
            "id": .string(id.description),
            "kind": .string(kind.rawValue),
            "topics": .array(topics.map { .string($0.text) }),
            "createdAt": .string(createdAt.rfc3339),
        ]
    }
}
