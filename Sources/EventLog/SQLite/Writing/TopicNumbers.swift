/// What is known of the topics that were written to lately.
///
/// Two generations: when the younger is full it becomes the elder, and the elder is forgotten. So memory is bounded,
/// and a topic in use stays.
struct TopicNumbers {
    /// A topic that has a row.
    struct Known {
        let number: Int64
        /// Whether it has events or bounds, and so is counted.
        let isThere: Bool
    }

    private let generationSize: Int
    private var young: [Topic: Known] = [:]
    private var old: [Topic: Known] = [:]

    /// - Parameter capacity: the most topics to remember.
    init(capacity: Int) {
        generationSize = max(capacity / 2, 1)
    }

    mutating func find(_ topic: Topic) -> Known? {
        if let known = young[topic] { return known }
        guard let known = old[topic] else { return nil }
        remember(known, for: topic)
        return known
    }

    mutating func remember(_ known: Known, for topic: Topic) {
        if young.count >= generationSize, young[topic] == nil {
            old = young
            young = [:]
        }
        young[topic] = known
    }

    /// For when its row is deleted, or has nothing any more.
    mutating func forget(_ topic: Topic) {
        young[topic] = nil
        old[topic] = nil
    }

    /// For when a transaction is rolled back that may have made some of them.
    mutating func forgetAll() {
        young = [:]
        old = [:]
    }
}
