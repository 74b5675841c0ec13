import Synchronization

/// How much a log holds of what is bounded, as its last commit left it; to be read on any thread.
final class LogUsage: Sendable {
    private let topicCount = Atomic(0)
    private let keyCount = Atomic(0)

    /// Topics that have events or bounds, but for ``SQLiteEventLog/Limits/uncountedTopics``.
    var topics: Int { topicCount.load(ordering: .relaxed) }

    /// Idempotency keys, those included that are too old and were not removed yet.
    var idempotencyKeys: Int { keyCount.load(ordering: .relaxed) }

    /// Called by the writer alone.
    func set(topics: Int, keys: Int) {
        topicCount.store(topics, ordering: .relaxed)
        keyCount.store(keys, ordering: .relaxed)
    }
}
