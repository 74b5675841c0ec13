#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension JSONEncoder {
    /// What makes a program's values JSON, in the hub and in its clients: what one writes the other reads. Equal values give
    /// equal bytes; a date is RFC 3339 in UTC with milliseconds, as all times of the interface are, and one outside of the
    /// years 0000 to 9999 is the nearest inside.
    package static let ofValues: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded())
            guard let milliseconds else {
                let context = EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "No date.")
                throw EncodingError.invalidValue(date, context)
            }
            var container = encoder.singleValueContainer()
            try container.encode(rfc3339(milliseconds: min(max(milliseconds, years.lowerBound), years.upperBound)))
        }
        return encoder
    }()

    /// The milliseconds of the years 0000 to 9999.
    private static let years: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    private static func rfc3339(milliseconds: Int64) -> String {
        let fraction = (milliseconds % 1000 + 1000) % 1000
        var seconds = (milliseconds - fraction) / 1000
        // Foundation's calendar is Julian before 1582. The Gregorian one repeats itself after 400 years of 146,097 days.
        var years = 0
        if seconds < -11_000_000_000 {
            years = 2000
            seconds += 5 * 146_097 * 86_400
        }
        let text = Date(timeIntervalSince1970: Double(seconds)).ISO8601Format().split(separator: "-", maxSplits: 1)
        let year = (Int(text[0]) ?? 0) - years
        return "\(padded(year, 4))-\(text[1].dropLast()).\(padded(Int(fraction), 3))Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
