extension TopicPattern {
    /// Whether every topic that the other pattern matches is matched by this one, too.
    ///
    /// ```swift
    /// try TopicPattern("orders.**").covers(TopicPattern("orders.*"))   // true
    /// try TopicPattern("orders.*").covers(TopicPattern("orders.**"))   // false
    /// ```
    public func covers(_ other: TopicPattern) -> Bool {
        var mine = TopicSegments(text)
        var theirs = TopicSegments(other.text)
        while let segment = mine.next() {
            // What is left of the other is one segment at least, or `**`, which stands for one at least.
            guard let asked = theirs.next() else { return false }
            if segment == .doubleStar { return true }
            guard segment == asked || segment == .star && asked != .doubleStar else { return false }
        }
        return theirs.isAtEnd
    }
}
