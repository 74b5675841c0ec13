import CCurl

/// The `Retry-After` header (RFC 9110 section 10.2.3): seconds or an HTTP date.
enum RetryAfter: Sendable, Hashable {
    case seconds(Int64)
    /// Milliseconds since 1970.
    case date(Int64)

    /// Parses a field value; `nil` if it is neither.
    init?(_ text: String) {
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        if isNumber {
            // More digits than fit are a delay longer than any bound.
            self = .seconds(Int64(text) ?? .max)
        } else {
            // curl_getdate(3) reads a NUL-terminated copy and knows the three formats of RFC 9110 section 5.6.7.
            // It reads years of up to ten digits: a date of one that no HTTP-date can name is none.
            let seconds = Int64(unsafe curl_getdate(text, nil))
            guard Self.dates.contains(seconds) else { return nil }
            self = .date(seconds * 1000)
        }
    }

    /// From 1970 to the end of the year 9999, in seconds since 1970.
    private static let dates: Range<Int64> = 0..<253_402_300_800

    /// How far away it is, in milliseconds; negative if it is past.
    ///
    /// - Parameter timeOfDay: milliseconds since 1970.
    func delay(at timeOfDay: Int64) -> Int64 {
        switch self {
        case .seconds(let seconds): seconds.multipliedClamped(by: 1000)
        case .date(let date): date.subtractingClamped(timeOfDay)
        }
    }
}
