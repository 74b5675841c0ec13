/// The patterns with wildcards: a trie of segments, its nodes in one array so that it stays a value.
struct TopicPatternTrie<Value: Hashable> {
    /// The root is the first; freed places are listed in `vacant`.
    private var nodes = [TopicPatternNode<Value>()]
    private var vacant: [Int] = []

    var isEmpty: Bool { nodes[0].isEmpty }

    /// How many nodes are in use, the root among them.
    var nodeCount: Int { nodes.count - vacant.count }

    mutating func insert(_ value: Value, for pattern: TopicPattern) -> Bool {
        var segments = TopicSegments(pattern.text)
        var place = 0
        while let segment = segments.next() {
            if segment == .doubleStar { return nodes[place].below.insert(value) }
            place = child(of: place, for: segment)
        }
        return nodes[place].here.insert(value)
    }

    mutating func remove(_ value: Value, for pattern: TopicPattern) -> Bool {
        var segments = TopicSegments(pattern.text)
        var path: [(parent: Int, segment: TopicSegment)] = []
        var place = 0
        while let segment = segments.next() {
            if segment == .doubleStar {
                guard nodes[place].below.remove(value) else { return false }
                prune(path, from: place)
                return true
            }
            guard let next = segment == .star ? nodes[place].star : nodes[place].children[segment] else { return false }
            path.append((place, segment))
            place = next
        }
        guard nodes[place].here.remove(value) else { return false }
        prune(path, from: place)
        return true
    }

    func forEachMatch(_ topic: Topic, _ body: (Value) throws -> Void) rethrows {
        try visit(0, TopicSegments(topic.name), body)
    }

    /// Depth is at most 256, the segments of the longest name.
    private func visit(_ place: Int, _ rest: TopicSegments, _ body: (Value) throws -> Void) rethrows {
        var rest = rest
        guard let segment = rest.next() else {
            for value in nodes[place].here.values { try body(value) }
            return
        }
        for value in nodes[place].below.values { try body(value) }
        if !nodes[place].children.isEmpty, let next = nodes[place].children[segment] { try visit(next, rest, body) }
        if let next = nodes[place].star { try visit(next, rest, body) }
    }

    private mutating func child(of place: Int, for segment: TopicSegment) -> Int {
        if segment == .star {
            if let next = nodes[place].star { return next }
            let next = newNode()
            nodes[place].star = next
            return next
        }
        if let next = nodes[place].children[segment] { return next }
        let next = newNode()
        nodes[place].children[segment.copied()] = next
        return next
    }

    private mutating func newNode() -> Int {
        if let place = vacant.popLast() { return place }
        nodes.append(TopicPatternNode())
        return nodes.count - 1
    }

    /// Frees the nodes that lead nowhere any more, from the end of the path upwards.
    private mutating func prune(_ path: [(parent: Int, segment: TopicSegment)], from place: Int) {
        var place = place
        for (parent, segment) in path.reversed() {
            guard nodes[place].isEmpty else { return }
            nodes[place] = TopicPatternNode()
            vacant.append(place)
            if segment == .star { nodes[parent].star = nil } else { nodes[parent].children[segment] = nil }
            place = parent
        }
    }
}

extension TopicPatternTrie: Sendable where Value: Sendable {}

private struct TopicPatternNode<Value: Hashable> {
    /// The node of each literal segment that may follow.
    var children: [TopicSegment: Int] = [:]
    /// The node of a `*` that may follow.
    var star: Int?
    /// The values of the pattern that ends here.
    var here = TopicPatternBucket<Value>()
    /// The values of the pattern that goes on with `**` from here.
    var below = TopicPatternBucket<Value>()

    var isEmpty: Bool { children.isEmpty && star == nil && here.values.isEmpty && below.values.isEmpty }
}

extension TopicPatternNode: Sendable where Value: Sendable {}
