#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import Notation

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
            let years = RFC3339.milliseconds
            try container.encode(RFC3339.text(of: min(max(milliseconds, years.lowerBound), years.upperBound)))
        }
        return encoder
    }()
}
