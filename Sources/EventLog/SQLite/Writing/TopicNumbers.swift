/// The numbers of the topics that were written to lately.
///
/// Two generations: when the younger is full it becomes the elder, and the elder is forgotten. So memory is bounded,
/// and a topic in use stays.
struct TopicNumbers {
    private let generationSize: Int
    private var young: [Topic: Int64] = [:]
    private var old: [Topic: Int64] = [:]

    /// - Parameter capacity: the most topics to remember.
    init(capacity: Int) {
        generationSize = max(capacity / 2, 1)
    }

    mutating func number(of topic: Topic) -> Int64? {
        if let number = young[topic] { return number }
        guard let number = old[topic] else { return nil }
        remember(number, for: topic)
        return number
    }

    mutating func remember(_ number: Int64, for topic: Topic) {
        if young.count >= generationSize {
            old = young
            young = [:]
        }
        young[topic] = number
    }

    /// For when its row is deleted.
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
