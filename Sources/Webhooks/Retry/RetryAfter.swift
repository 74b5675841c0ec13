import HTTPTransport
import Notation

/// The `Retry-After` header (RFC 9110 section 10.2.3): seconds or an HTTP date.
enum RetryAfter: Sendable, Hashable {
    case seconds(Int64)
    /// Milliseconds since 1970.
    case date(Int64)

    /// Parses a field value; `nil` if it is neither.
    init?(_ text: String) {
        if !text.isEmpty, text.utf8.allSatisfy(\.isDigit) {
            // More digits than fit are a delay longer than any bound.
            self = .seconds(Int64(text) ?? .max)
        } else {
            // A date of a year that no HTTP-date can name is none.
            let seconds = HTTPDate.seconds(text)
            guard Self.dates.contains(seconds) else { return nil }
            self = .date(seconds * 1000)
        }
    }

    /// From 1970 to the end of the year 9999, in seconds since 1970.
    private static let dates: Range<Int64> = 0..<253_402_300_800

    /// How far away it is, in milliseconds; negative if it is past.
    func delay(at timeOfDay: Int64) -> Int64 {
        switch self {
        case .seconds(let seconds): min(seconds, .max / 1000) * 1000
        case .date(let date): date.subtractingClamped(timeOfDay)
        }
    }
}
