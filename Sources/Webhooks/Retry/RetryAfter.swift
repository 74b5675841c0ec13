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
            let seconds = unsafe curl_getdate(text, nil)
            guard seconds >= 0 else { return nil }
            self = .date(Int64(seconds) * 1000)
        }
    }

    /// How far away it is, in milliseconds; negative if it is past.
    ///
    /// - Parameter timeOfDay: milliseconds since 1970.
    func delay(at timeOfDay: Int64) -> Int64 {
        switch self {
        case .seconds(let seconds):
            let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
            return overflow ? .max : milliseconds
        case .date(let date):
            let (milliseconds, overflow) = date.subtractingReportingOverflow(timeOfDay)
            return overflow ? .max : milliseconds
        }
    }
}
