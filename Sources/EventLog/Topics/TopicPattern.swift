/// A topic in which a segment may be `*` (exactly one segment) and the last may be `**` (one or more).
///
/// ```swift
/// try TopicPattern("orders.*").matches(Topic("orders.created"))       // true
/// try TopicPattern("orders.*").matches(Topic("orders.eu.created"))    // false
/// try TopicPattern("orders.**").matches(Topic("orders.eu.created"))   // true
/// ```
public struct TopicPattern: Hashable, Sendable, CustomStringConvertible {
    /// The pattern as it was given.
    public let text: String

    /// Whether a segment is `*` or `**`; otherwise the pattern is the name of one topic.
    let hasWildcards: Bool

    /// A pattern of that text.
    /// - Throws: ``TopicError`` with code `pattern-invalid`.
    public init(_ text: String) throws(TopicError) {
        if let fault = TopicName.fault(in: text) { throw TopicPattern.invalid(fault) }
        self.text = text
        hasWildcards = text.utf8.contains(TopicName.star)
        guard hasWildcards else { return }
        var segments = TopicSegments(text)
        while let segment = segments.next() {
            guard segment.bytes.contains(TopicName.star) else { continue }
            switch segment {
            case .star: break
            case .doubleStar where segments.isAtEnd: break
            case .doubleStar: throw TopicPattern.invalid("`**` may only be the last segment")
            default: throw TopicPattern.invalid("`*` must be a whole segment")
            }
        }
    }

    /// The pattern that only this topic matches.
    public init(_ topic: Topic) {
        text = topic.name
        hasWildcards = false
    }

    /// A text that was checked before it was stored.
    init(stored text: String) {
        self.text = text
        hasWildcards = text.utf8.contains(TopicName.star)
    }

    /// The one topic that matches, or nil if the pattern has wildcards.
    public var literal: Topic? { hasWildcards ? nil : Topic(stored: text) }

    /// Whether the topic matches.
    public func matches(_ topic: Topic) -> Bool {
        hasWildcards ? covers(TopicPattern(topic)) : text.utf8.hasSameBytes(as: topic.name.utf8)
    }

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

    /// The text.
    public var description: String { text }

    /// Whether both texts have the same bytes.
    public static func == (one: TopicPattern, other: TopicPattern) -> Bool {
        one.text.utf8.hasSameBytes(as: other.text.utf8)
    }

    /// Feeds the bytes of the text.
    public func hash(into hasher: inout Hasher) { text.utf8.hashBytes(into: &hasher) }

    private static func invalid(_ fault: String) -> TopicError {
        TopicError(code: "pattern-invalid", message: "A pattern of topics cannot read so: \(fault).")
    }
}

extension Sequence<TopicPattern> {
    func match(_ topic: Topic) -> Bool { contains { $0.matches(topic) } }
}
