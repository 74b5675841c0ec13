import EventLog

/// Some of the 64 parts into which webhooks are divided. What nodes share out among themselves is parts: a fixed number, however
/// many webhooks come and go.
struct Parts: OptionSet, Hashable, Sendable {
    /// A bit for each.
    let rawValue: UInt64

    static let all = Parts(rawValue: .max)

    /// The part whose holder also sees to the stream.
    static let first = Parts(rawValue: 1)

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The part of an observer: six bits of the FNV-1a hash of its id, spread by a multiplication, as its upper bits differ
    /// little for short ids. All versions must find it alike.
    init(of observer: ObserverID) {
        let hash = observer.rawValue.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let spread = (hash ^ (hash >> 32)) &* 0x9E37_79B9_7F4A_7C15
        rawValue = 1 << (spread >> 58)
    }

    var count: Int { rawValue.nonzeroBitCount }

    /// That many of them, or all there are.
    func prefix(_ count: Int) -> Parts {
        var rest = rawValue
        for _ in 0..<max(count, 0) where rest != 0 { rest &= rest - 1 }
        return Parts(rawValue: rawValue & ~rest)
    }
}
