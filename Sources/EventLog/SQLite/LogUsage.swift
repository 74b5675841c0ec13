import Synchronization

/// How much a log holds of what is bounded, as its last commit left it; to be read on any thread.
public final class LogUsage: Sendable {
    private let topicCount = Atomic(0)
    private let observerCount = Atomic(0)
    private let keyCount = Atomic(0)

    /// Topics that have events or bounds, but for ``SQLiteEventLog/Limits/uncountedTopics``.
    public var topics: Int { topicCount.load(ordering: .relaxed) }

    /// Observers.
    public var observers: Int { observerCount.load(ordering: .relaxed) }

    /// Idempotency keys, those included that are too old and were not removed yet.
    public var idempotencyKeys: Int { keyCount.load(ordering: .relaxed) }

    init() {}

    /// Called by the writer alone.
    func set(topics: Int, observers: Int, keys: Int) {
        topicCount.store(topics, ordering: .relaxed)
        observerCount.store(observers, ordering: .relaxed)
        keyCount.store(keys, ordering: .relaxed)
    }
}
