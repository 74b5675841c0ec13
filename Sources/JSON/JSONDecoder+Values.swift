#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import Notation

extension JSONDecoder {
    /// What reads a program's values of JSON: what ``JSONEncoder/ofValues`` writes, and the answers of the hub's interface.
    package static let ofValues: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom(Date.init(rfc3339From:))
        return decoder
    }()
}

extension Date {
    /// Reads a time of RFC 3339, with any offset and any number of decimals, to the millisecond.
    ///
    /// - Throws: `DecodingError` if there is no such text.
    package init(rfc3339From decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let moment = RFC3339.moment(of: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "Expected a time as RFC 3339 has it, such as 2026-11-20T23:19:00.123Z."
            )
        }
        self.init(timeIntervalSince1970: Double(moment) / 1000)
    }
}
