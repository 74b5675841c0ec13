/// Which patterns match a topic, found in time independent of how many patterns there are.
///
/// Patterns without wildcards lie in a dictionary, the others in a trie of segments, so a topic costs one look-up and
/// at most one step per segment and wildcard. A value type without a lock: its owner guards it.
///
/// ```swift
/// var index = TopicPatternIndex<ObserverID>()
/// index.insert(id, for: try TopicPattern("orders.*"))
/// index.forEachMatch(try Topic("orders.created")) { id in … }
/// ```
///
/// To keep the set of patterns in use, count them beside it and let the index hold each pattern once, as its own value:
///
/// ```swift
/// counts[pattern, default: 0] += 1
/// index.insert(pattern, for: pattern)   // false, and no change, if it was there
/// ```
public struct TopicPatternIndex<Value: Hashable> {
    private var literals: [TopicPattern: Set<Value>] = [:]
    private var wildcards = TopicPatternTrie<Value>()
    /// Whether there are any: to ask the trie for each topic costs more.
    private var hasWildcards = false

    /// An index of nothing.
    public init() {}

    /// Adds a value for a pattern.
    /// - Returns: false if that very pair was there already.
    @discardableResult
    public mutating func insert(_ value: Value, for pattern: TopicPattern) -> Bool {
        guard pattern.hasWildcards else { return literals[pattern, default: []].insert(value).inserted }
        hasWildcards = true
        return wildcards.insert(value, for: TopicSegments(pattern.text))
    }

    /// Removes a value from a pattern; nothing is left behind of a pattern without values.
    /// - Returns: false if that pair was not there.
    @discardableResult
    public mutating func remove(_ value: Value, for pattern: TopicPattern) -> Bool {
        if pattern.hasWildcards {
            defer { hasWildcards = !wildcards.isEmpty }
            return wildcards.remove(value, for: TopicSegments(pattern.text))
        }
        let removed = literals[pattern]?.remove(value) != nil
        if literals[pattern]?.isEmpty == true { literals[pattern] = nil }
        return removed
    }

    /// Calls back with the values of every pattern that matches, in no particular order.
    ///
    /// A value that was inserted for several matching patterns comes several times.
    public func forEachMatch(_ topic: Topic, _ body: (Value) throws -> Void) rethrows {
        if let values = literals[TopicPattern(topic)] { for value in values { try body(value) } }
        if hasWildcards { try wildcards.forEachMatch(TopicSegments(topic.name), body) }
    }

    /// The values of every pattern that matches, each once.
    public func matches(_ topic: Topic) -> Set<Value> {
        var values: Set<Value> = []
        forEachMatch(topic) { values.insert($0) }
        return values
    }
}

extension TopicPatternIndex: Sendable where Value: Sendable {}
