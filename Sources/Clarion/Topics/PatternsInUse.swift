import EventLog

/// The patterns that have registrations, counted.
struct PatternsInUse: Sendable {
    private var index = TopicPatternIndex<TopicPattern>()
    private var counts: [TopicPattern: Int] = [:]

    mutating func retain(_ pattern: TopicPattern) {
        let count = counts[pattern, default: 0]
        counts[pattern] = count + 1
        if count == 0 { index.insert(pattern, for: pattern) }
    }

    mutating func release(_ pattern: TopicPattern) {
        guard let count = counts[pattern] else { return }
        counts[pattern] = count == 1 ? nil : count - 1
        if count == 1 { index.remove(pattern, for: pattern) }
    }

    func matching(_ topic: Topic) -> [TopicPattern] {
        var found: [TopicPattern] = []
        index.forEachMatch(topic) { found.append($0) }
        return found
    }
}
