/// A durable observer as the writer knows it.
struct RegisteredObserver {
    let id: ObserverID
    let topics: [TopicPattern]
    let createdAt: Timestamp
    /// Whether it wants events that are posted now.
    let receives: Bool
    /// Its place in the log.
    var subscription: Subscription

    init(_ record: ObserverRecord, _ subscription: Subscription) {
        (id, topics, createdAt, receives) = (record.id, record.topics, record.createdAt, record.receives)
        self.subscription = subscription
    }

    /// The number its deliveries carry.
    var key: Int64 { subscription.key }

    /// What it wants, or wanted where its cursor is, each once.
    var patterns: Set<TopicPattern> { Set(subscription.interests.flatMap(\.topics)) }
}
