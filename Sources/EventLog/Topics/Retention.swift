/// How much of a topic's history is kept. What exceeds any of the bounds goes, oldest first.
///
/// The newest event of a topic is kept whatever the number and the bytes, and so is an event that a webhook still waits
/// for, and what follows it. Removing happens in small steps after the posts, so that while posts never cease a topic may
/// hold somewhat more: 16 events or a 64th of the bound, and what is posted between two steps.
public struct Retention: Hashable, Sendable {
    /// The most events; nil for any number.
    public var events: Int64?

    /// The most milliseconds since an event was posted; nil for ever.
    public var age: Int64?

    /// The most bytes of data; nil for any number.
    public var bytes: Int64?

    /// What ``events`` may be: up to a million million, which every JSON number holds exactly.
    public static let eventBounds = 1...1_000_000_000_000

    /// What ``age`` may be: from a second, below which nobody could read an event, to 36,500 days.
    public static let ageBounds: ClosedRange<Int64> = 1_000...36_500 * 86_400_000

    /// What ``bytes`` may be: up to a pebibyte.
    public static let byteBounds = 1...1 << 50

    /// Bounds, by default none.
    public init(events: Int64? = nil, age: Int64? = nil, bytes: Int64? = nil) {
        (self.events, self.age, self.bytes) = (events, age, bytes)
    }

    /// What a topic's row says. A number that nobody can have asked for is damage, and bounds nothing: it would empty the topic.
    init(stored events: Int64?, age: Int64?, bytes: Int64?) {
        self.init(
            events: events.flatMap { Self.eventBounds.contains(Int($0)) ? $0 : nil },
            age: age.flatMap { Self.ageBounds.contains($0) ? $0 : nil },
            bytes: bytes.flatMap { Self.byteBounds.contains(Int($0)) ? $0 : nil }
        )
    }

    /// Whether everything is kept.
    public var isUnbounded: Bool { events == nil && age == nil && bytes == nil }

    /// These bounds where they are given, and those of a default where they are not.
    func completed(by other: Retention) -> Retention {
        Retention(events: events ?? other.events, age: age ?? other.age, bytes: bytes ?? other.bytes)
    }
}
