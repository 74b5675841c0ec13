/// A durable observer as the writer knows it; equal only to itself. Confined to the writer's thread.
final class RegisteredObserver: Hashable {
    /// The number its deliveries carry.
    let key: Int64
    let id: String
    let topics: [TopicPattern]
    /// Compared by their bytes, as topics are.
    let types: [String]
    let receives: Bool

    /// When it was found last, so that a second pattern that matches adds no delivery.
    var lastLook: Int64 = 0

    init(key: Int64, id: String, topics: [TopicPattern], types: [String], receives: Bool) {
        self.key = key
        self.id = id
        self.topics = topics
        self.types = types
        self.receives = receives
    }

    func wants(type: String?) -> Bool {
        guard !types.isEmpty else { return true }
        guard let type else { return false }
        return types.contains { $0.utf8.hasSameBytes(as: type.utf8) }
    }

    static func == (one: RegisteredObserver, other: RegisteredObserver) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
