/// A durable observer as the writer knows it; equal only to itself. Confined to the writer's thread.
final class RegisteredObserver: Hashable {
    /// The number its deliveries carry.
    let key: Int64
    let id: String
    let topics: [TopicPattern]
    let types: Set<String>
    let receives: Bool

    /// The newest event it has a delivery of, so that a second pattern that matches adds none.
    var lastEvent: Int64 = 0

    /// Deliveries that this transaction added and its counters do not show yet.
    var uncounted: Int64 = 0

    init(key: Int64, id: String, topics: [TopicPattern], types: Set<String>, receives: Bool) {
        self.key = key
        self.id = id
        self.topics = topics
        self.types = types
        self.receives = receives
    }

    func wants(type: String?) -> Bool {
        types.isEmpty || type.map(types.contains) ?? false
    }

    static func == (one: RegisteredObserver, other: RegisteredObserver) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
