/// What was added to topics, by their numbers, and is not in their counters yet. What a transaction did is undone if it
/// fails.
struct TopicCounting {
    /// By this transaction.
    private var added: [Int64: TopicAddition] = [:]
    /// By those before.
    private var committed: [Int64: TopicAddition]
    /// What those before had added when this transaction took it; nil if it has not.
    private var taken: [Int64: TopicAddition]?

    init(uncounted: [Int64: TopicAddition]) {
        committed = uncounted
    }

    /// Whether the counters show everything, but for what this transaction added.
    var isEmpty: Bool { committed.isEmpty }

    /// The topics that have such, when the log is opened.
    var uncounted: Dictionary<Int64, TopicAddition>.Keys { committed.keys }

    /// Whether a topic has events that its counters do not show.
    func has(_ topic: Int64) -> Bool { added[topic] != nil || committed[topic] != nil }

    mutating func add(_ position: Int64, bytes: Int, to topic: Int64) {
        added[topic, default: TopicAddition()].add(position, bytes: bytes)
    }

    /// Takes everything out, to be written to the counters by this transaction.
    mutating func takeAll() -> [Int64: TopicAddition] {
        if taken == nil { taken = committed }
        keepAdded()
        defer { committed.removeAll(keepingCapacity: true) }
        return committed
    }

    /// The transaction was committed.
    mutating func commit() {
        keepAdded()
        taken = nil
    }

    /// The transaction failed.
    mutating func rollBack() {
        added.removeAll(keepingCapacity: true)
        if let taken { committed = taken }
        taken = nil
    }

    private mutating func keepAdded() {
        for (topic, addition) in added { committed[topic, default: TopicAddition()].add(addition) }
        added.removeAll(keepingCapacity: true)
    }
}
