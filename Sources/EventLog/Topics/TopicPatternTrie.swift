/// The patterns with wildcards: a trie of segments, each node of which is such a trie again.
struct TopicPatternTrie<Value: Hashable> {
    /// What may follow, by its first segment, which is no wildcard.
    private var children: [TopicSegment: TopicPatternTrie] = [:]
    /// What may follow a `*`: one at most, in an array because no value holds another of its type directly.
    private var star: [TopicPatternTrie] = []
    /// The values of the pattern that ends here.
    private var here: Set<Value> = []
    /// The values of the pattern that goes on with `**` from here.
    private var below: Set<Value> = []

    var isEmpty: Bool { children.isEmpty && star.isEmpty && here.isEmpty && below.isEmpty }

    mutating func insert(_ value: Value, for pattern: TopicPattern) -> Bool {
        insert(value, TopicSegments(pattern.text))
    }

    /// Nothing is left behind of a pattern without values.
    mutating func remove(_ value: Value, for pattern: TopicPattern) -> Bool {
        remove(value, TopicSegments(pattern.text))
    }

    func forEachMatch(_ topic: Topic, _ body: (Value) throws -> Void) rethrows {
        try visit(TopicSegments(topic.name), body)
    }

    // Depth is at most 256, the segments of the longest name.

    private mutating func insert(_ value: Value, _ rest: TopicSegments) -> Bool {
        var rest = rest
        switch rest.next() {
        case nil: return here.insert(value).inserted
        case .doubleStar?: return below.insert(value).inserted
        case .star?:
            if star.isEmpty { star = [TopicPatternTrie()] }
            return star[0].insert(value, rest)
        case let segment?:
            let key = children[segment] == nil ? segment.copied() : segment
            return children[key, default: TopicPatternTrie()].insert(value, rest)
        }
    }

    private mutating func remove(_ value: Value, _ rest: TopicSegments) -> Bool {
        var rest = rest
        switch rest.next() {
        case nil: return here.remove(value) != nil
        case .doubleStar?: return below.remove(value) != nil
        case .star?:
            guard !star.isEmpty, star[0].remove(value, rest) else { return false }
            if star[0].isEmpty { star = [] }
        case let segment?:
            guard children[segment]?.remove(value, rest) == true else { return false }
            if children[segment]?.isEmpty == true { children[segment] = nil }
        }
        return true
    }

    private func visit(_ rest: TopicSegments, _ body: (Value) throws -> Void) rethrows {
        var rest = rest
        guard let segment = rest.next() else { return try here.forEach(body) }
        try below.forEach(body)
        if !children.isEmpty { try children[segment]?.visit(rest, body) }
        if !star.isEmpty { try star[0].visit(rest, body) }
    }
}

extension TopicPatternTrie: Sendable where Value: Sendable {}
