/// The patterns with wildcards: a radix tree of segments. What all patterns below have next is one text in one node, so the
/// tree takes no more memory than the patterns' texts, and a topic that goes along with many is compared byte by byte.
struct TopicPatternTrie<Value: Hashable> {
    /// The segments that lead through here, as in a pattern; nil if there are none.
    private var run: String?
    /// What may follow, by its first segment, which is no wildcard.
    private var children: [TopicSegment: TopicPatternTrie] = [:]
    /// What may follow a `*`: one at most, in an array because no value holds another of its type directly.
    private var star: [TopicPatternTrie] = []
    /// The values of the pattern that ends here.
    private var here: Set<Value> = []
    /// The values of the pattern that goes on with `**` from here.
    private var below: Set<Value> = []

    var isEmpty: Bool { children.isEmpty && star.isEmpty && here.isEmpty && below.isEmpty }

    // Depth is at most 256, the segments of the longest name.

    /// Adds a value for the pattern of these segments; false if it was there.
    mutating func insert(_ value: Value, for rest: TopicSegments) -> Bool {
        var rest = rest
        if isEmpty {
            run = rest.takeRun()
        } else {
            split(where: &rest)
        }
        switch rest.next() {
        case nil: return here.insert(value).inserted
        case .doubleStar?: return below.insert(value).inserted
        case .star?:
            if star.isEmpty { star = [TopicPatternTrie()] }
            return star[0].insert(value, for: rest)
        case let segment?:
            let key = children[segment] == nil ? segment.copied() : segment
            return children[key, default: TopicPatternTrie()].insert(value, for: rest)
        }
    }

    /// Takes the segments of the run from those of a pattern. Where they part, what was here becomes a child.
    private mutating func split(where rest: inout TopicSegments) {
        guard let run else { return }
        var common: [TopicSegment] = []
        var lower = TopicSegments(run)
        while !lower.isAtEnd {
            var (ours, theirs) = (lower, rest)
            guard let segment = ours.next(), segment == theirs.next() else { break }
            common.append(segment)
            (lower, rest) = (ours, theirs)
        }
        guard let first = lower.next() else { return }
        var child = self
        child.run = lower.takeRun()
        self = TopicPatternTrie()
        self.run = common.isEmpty ? nil : TopicSegment.text(of: common)
        if first == .star { star = [child] } else { children[first.copied()] = child }
    }

    /// Nothing is left behind of a pattern without values.
    mutating func remove(_ value: Value, for rest: TopicSegments) -> Bool {
        var rest = rest
        var wanted = run.map { TopicSegments($0) }
        while let segment = wanted?.next() {
            guard segment == rest.next() else { return false }
        }
        switch rest.next() {
        case nil: if here.remove(value) == nil { return false }
        case .doubleStar?: if below.remove(value) == nil { return false }
        case .star?:
            guard !star.isEmpty, star[0].remove(value, for: rest) else { return false }
            if star[0].isEmpty { star = [] }
        case let segment?:
            guard children[segment]?.remove(value, for: rest) == true else { return false }
            if children[segment]?.isEmpty == true { children[segment] = nil }
        }
        join()
        return true
    }

    /// What leads to nothing but one child is one with it.
    private mutating func join() {
        guard here.isEmpty, below.isEmpty, children.count + star.count == 1 else { return }
        let (key, child) = children.first.map { ($0.key, $0.value) } ?? (.star, star[0])
        let upper = (run.map { "\($0)." } ?? "") + TopicSegment.text(of: [key])
        self = child
        run = child.run.map { "\(upper).\($0)" } ?? upper
    }

    /// Calls back with the values of every pattern that the topic of these segments matches.
    func forEachMatch(_ rest: TopicSegments, _ body: (Value) throws -> Void) rethrows {
        var rest = rest
        if let run, !rest.take(matching: run) { return }
        guard let segment = rest.next() else { return try here.forEach(body) }
        try below.forEach(body)
        if !children.isEmpty { try children[segment]?.forEachMatch(rest, body) }
        if !star.isEmpty { try star[0].forEachMatch(rest, body) }
    }
}

extension TopicPatternTrie: Sendable where Value: Sendable {}
