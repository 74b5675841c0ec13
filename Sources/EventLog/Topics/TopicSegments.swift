/// One segment of a name or pattern: a slice of its bytes, which shares the name's storage.
struct TopicSegment: Hashable {
    let bytes: Substring.UTF8View

    static let star = TopicSegment(bytes: "*"[...].utf8)
    static let doubleStar = TopicSegment(bytes: "**"[...].utf8)

    static func == (one: TopicSegment, other: TopicSegment) -> Bool { one.bytes.hasSameBytes(as: other.bytes) }

    func hash(into hasher: inout Hasher) { bytes.hashBytes(into: &hasher) }

    /// The same bytes in storage of their own, for a key that outlives the name it was cut from.
    func copied() -> TopicSegment { TopicSegment(bytes: TopicSegment.text(of: [self])[...].utf8) }

    static func text(of segments: [TopicSegment]) -> String {
        segments.map { String(Substring($0.bytes)) }.joined(separator: ".")
    }
}

/// The segments of a name from first to last. `a..b` has three, the second of them empty.
struct TopicSegments: IteratorProtocol {
    /// What is left; nil when the last segment has been taken.
    private var rest: Substring.UTF8View?

    init(_ name: String) { rest = name[...].utf8 }

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

    /// Takes as many segments as a run of a pattern has, if it matches them. Byte by byte: a post may be compared with
    /// thousands of long ones.
    mutating func take(matching run: String) -> Bool {
        guard let bytes = rest else { return false }
        var run = run
        let length = run.withUTF8 { run in
            unsafe bytes.withContiguousStorageIfAvailable { unsafe Self.length(of: run, in: $0) }
                ?? Array(bytes).withUnsafeBufferPointer { unsafe Self.length(of: run, in: $0) }
        }
        guard let length else { return false }
        rest = length == bytes.count ? nil : bytes.dropFirst(length + 1)
        return true
    }

    /// How many bytes those segments have with the dots between them; nil if the run does not match them.
    private static func length(of run: UnsafeBufferPointer<UInt8>, in given: UnsafeBufferPointer<UInt8>) -> Int? {
        var place = 0
        var next = 0
        while next < run.count {
            let isFirst = unsafe next == 0 || run[next - 1] == TopicName.dot
            if isFirst, unsafe run[next] == TopicName.star {
                while place < given.count, unsafe given[place] != TopicName.dot { place += 1 }
            } else {
                guard place < given.count, unsafe given[place] == run[next] else { return nil }
                place += 1
            }
            next += 1
        }
        // The last segment ends in both.
        return unsafe place == given.count || given[place] == TopicName.dot ? place : nil
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
