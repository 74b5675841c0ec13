import Notation
import Posix

/// A moment, to the millisecond, between the years 0000 and 9999 of UTC (what RFC 3339 can write).
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds; negative before.
    public let milliseconds: Int64

    /// The first millisecond of the year 0000.
    public static let earliest = Timestamp(milliseconds: .min)

    /// The last millisecond of the year 9999.
    public static let latest = Timestamp(milliseconds: .max)

    /// A moment by its distance from 1970; what lies outside the years 0000 to 9999 becomes the nearest that is inside.
    public init(milliseconds: Int64) {
        let bounds = RFC3339.milliseconds
        self.milliseconds = min(max(milliseconds, bounds.lowerBound), bounds.upperBound)
    }

    /// The time of the system's clock.
    public static func now() -> Timestamp { Timestamp(milliseconds: Int64(SystemClock.timeOfDay.milliseconds)) }

    /// The moment that many milliseconds later, or earlier if negative.
    public func advanced(byMilliseconds distance: Int64) -> Timestamp {
        Timestamp(milliseconds: Int64(clamping: Int128(milliseconds) + Int128(distance)))
    }

    /// Whether one is before the other.
    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.milliseconds < other.milliseconds }
}

extension Timestamp {
    /// The moment in UTC with milliseconds, such as `2026-11-20T23:19:00.123Z`.
    public var rfc3339: String { RFC3339.text(of: milliseconds) }

    /// Appends the text of ``rfc3339``, without making a string of it: for the encoders that run for every event.
    public func writeRFC3339(to bytes: inout [UInt8]) { RFC3339.write(milliseconds, to: &bytes) }

    /// Reads a time of RFC 3339, section 5.6, with any offset and any number of decimals; what is finer than a
    /// millisecond is cut off, and a leap second is the second after. Nil if the text is none, or no such day exists.
    public init?(rfc3339 text: some StringProtocol) {
        guard let milliseconds = RFC3339.moment(of: text) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
