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
                // Not the date itself: one that is not a number cannot be printed.
                throw EncodingError.invalidValue(date.timeIntervalSince1970, context)
            }
            var container = encoder.singleValueContainer()
            let years = RFC3339.milliseconds
            try container.encode(RFC3339.text(of: min(max(milliseconds, years.lowerBound), years.upperBound)))
        }
        return encoder
    }()
}

/// Why a value is none of JSON: where and what, not the value, which may be large or a secret.
package struct UnencodableValue: Error, CustomStringConvertible {
    package let description: String
    package let cause: (any Error)?
}

extension JSONEncoder {
    /// A program's value as JSON: see ``ofValues``.
    package static func bytes(of value: some Encodable) throws(UnencodableValue) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = [UInt8](try ofValues.encode(value))
        } catch let error as EncodingError {
            guard case .invalidValue(_, let context) = error else {
                throw UnencodableValue(description: "\(error)", cause: error)
            }
            let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
            let place = path.isEmpty ? "" : "\(path.joined(separator: ".")): "
            throw UnencodableValue(description: place + context.debugDescription, cause: error)
        } catch {
            throw UnencodableValue(description: "\(error)", cause: error)
        }
        // Foundation writes `NaN` for a decimal that is no number.
        do {
            _ = try JSONDocument(bytes, maximumDepth: 512)
        } catch {
            throw UnencodableValue(description: "what it encodes to \(error.predicate)", cause: error)
        }
        return bytes
    }
}
