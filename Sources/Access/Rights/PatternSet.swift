import EventLog

/// Patterns that are asked often: whether a topic matches one of them, whether one of them covers another.
struct PatternSet: Sendable, Equatable {
    /// Each once, in order of their texts.
    let patterns: [TopicPattern]

    /// Whether `**` is among them.
    let isEverything: Bool

    /// For sets that are larger than ``scannedCount``.
    private let index: TopicPatternIndex<TopicPattern>?

    /// Up to so many patterns comparing one after the other is faster than hashing the topic.
    private static let scannedCount = 8

    init(_ patterns: some Sequence<TopicPattern>) {
        self.patterns = Set(patterns).sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        isEverything = self.patterns.contains { $0.text == "**" }
        guard self.patterns.count > Self.scannedCount else {
            index = nil
            return
        }
        var index = TopicPatternIndex<TopicPattern>()
        for pattern in self.patterns { index.insert(pattern, for: pattern) }
        self.index = index
    }

    func matches(_ topic: Topic) -> Bool {
        if isEverything { return true }
        guard let index else { return patterns.contains { $0.matches(topic) } }
        var isFound = false
        index.forEachMatch(topic) { _ in isFound = true }
        return isFound
    }

    func covers(_ pattern: TopicPattern) -> Bool {
        isEverything || patterns.contains { $0.covers(pattern) }
    }

    static func == (one: PatternSet, other: PatternSet) -> Bool { one.patterns == other.patterns }
}
