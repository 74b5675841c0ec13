/// A durable observer as the writer knows it; equal only to itself. Confined to the writer's thread.
final class RegisteredObserver: Hashable {
    /// The number its deliveries carry.
    let key: Int64
    let id: String
    let topics: [TopicPattern]
    /// Whether it wants events that are posted now.
    let receives: Bool
    /// See ``Subscription/interests``.
    let interests: [Interest]

    init(_ record: ObserverRecord, key: Int64, interests: [Interest]) {
        self.key = key
        id = record.id
        topics = record.topics
        receives = record.receives
        self.interests = interests
    }

    private init(_ other: RegisteredObserver, interests: [Interest]) {
        (key, id, topics, receives) = (other.key, other.id, other.topics, other.receives)
        self.interests = interests
    }

    /// The same with other interests.
    func wanting(_ interests: [Interest]) -> RegisteredObserver {
        RegisteredObserver(self, interests: interests)
    }

    /// What it wants, or wanted where its cursor is, each once.
    var patterns: Set<TopicPattern> { Set(interests.flatMap(\.topics)) }

    static func == (one: RegisteredObserver, other: RegisteredObserver) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
