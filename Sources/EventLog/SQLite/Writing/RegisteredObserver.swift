/// A durable observer as the writer knows it.
struct RegisteredObserver {
    let id: ObserverID
    let topics: [TopicPattern]
    let createdAt: Timestamp
    /// Whether it wants events that are posted now.
    let receives: Bool
    /// What its document takes.
    let documentBytes: Int
    /// Its place in the log.
    var subscription: Subscription

    init(_ record: ObserverRecord, _ subscription: Subscription) {
        (id, topics, createdAt, receives) = (record.id, record.topics, record.createdAt, record.receives)
        (documentBytes, self.subscription) = (record.document.count, subscription)
    }

    /// The number its deliveries carry.
    var key: Int64 { subscription.key }

    /// What it wants, or wanted where its cursor is, each once.
    var patterns: Set<TopicPattern> { Set(subscription.interests.flatMap(\.topics)) }

    /// What the names of these take, and of the types that it wants of them.
    var interestBytes: Int { subscription.interests.reduce(0) { $0 + $1.bytes } }
}
