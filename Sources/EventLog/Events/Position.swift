/// A place in one log's sequence: events are numbered from 1 in the order they were committed, and no number is used
/// twice, also after the newest events were deleted. Numbers may be missing.
public struct Position: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, 0 or more.
    public let rawValue: Int64

    /// The place before the first event.
    public static let start = Position(0)

    /// The place of that number.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Whether one was committed before the other.
    public static func < (one: Position, other: Position) -> Bool { one.rawValue < other.rawValue }

    /// The number in decimal digits.
    public var description: String { String(rawValue) }
}
