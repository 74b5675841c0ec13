/// One segment of a name or pattern: a slice of its bytes, which shares the name's storage.
struct TopicSegment: Hashable {
    let bytes: Substring.UTF8View

    static let star = TopicSegment(bytes: "*"[...].utf8)
    static let doubleStar = TopicSegment(bytes: "**"[...].utf8)

    static func == (one: TopicSegment, other: TopicSegment) -> Bool {
        one.bytes.hasSameBytes(as: other.bytes)
    }

    func hash(into hasher: inout Hasher) {
        bytes.hashBytes(into: &hasher)
    }

    /// The same bytes in storage of their own, for a key that outlives the name it was cut from.
    func copied() -> TopicSegment {
        TopicSegment(bytes: TopicSegment.text(of: [self])[...].utf8)
    }

    /// The text that has these segments.
    static func text(of segments: [TopicSegment]) -> String {
        segments.map { String(Substring($0.bytes)) }.joined(separator: ".")
    }
}

/// The segments of a name from first to last. `a..b` has three, the second of them empty.
struct TopicSegments: IteratorProtocol {
    /// What is left; nil when the last segment has been taken.
    private var rest: Substring.UTF8View?

    init(_ name: String) {
        rest = name[...].utf8
    }

    /// Whether the last segment has been taken.
    var isAtEnd: Bool { rest == nil }

    mutating func next() -> TopicSegment? {
        guard let bytes = rest else { return nil }
        guard let dot = bytes.firstIndex(of: TopicName.dot) else {
            rest = nil
            return TopicSegment(bytes: bytes)
        }
        rest = bytes[bytes.index(after: dot)...]
        return TopicSegment(bytes: bytes[..<dot])
    }

    /// Takes all that is left but a `**` at its end, as one text; nil if that is nothing.
    mutating func takeRun() -> String? {
        var segments: [TopicSegment] = []
        while case var after = self, let segment = after.next(), segment != .doubleStar {
            segments.append(segment)
            self = after
        }
        return segments.isEmpty ? nil : TopicSegment.text(of: segments)
    }
}
