import EventLog
import FoundationEssentials
import JSON

/// Notifications' payloads as JSON.
enum InfoCoder {
    /// Requests of the hub's own interface may nest as deep. Foundation's time for a value of any type grows with the
    /// square of the depth, and anyone may post.
    static let maximumDepth = 32

    /// - Throws: what the payload's `encode(to:)` does, and for numbers that JSON does not have.
    static func encode(_ info: some Encodable) throws -> [UInt8] {
        [UInt8](try encoder.encode(info))
    }

    /// Decodes strict JSON; Foundation would also take trailing commas and byte order marks.
    static func decode<Info: Decodable>(_ type: Info.Type, from data: [UInt8]) throws(InfoMismatch) -> Info {
        if let fault = JSONSyntax.fault(in: data, maximumDepth: maximumDepth) { throw InfoMismatch(fault) }
        do {
            return try decoder.decode(type, from: Data(data))
        } catch {
            throw InfoMismatch(located(error, decoding: type, from: data), in: data)
        }
    }

    /// The error with its place, where Foundation has left that out.
    private static func located<Info: Decodable>(
        _ error: any Error,
        decoding type: Info.Type,
        from data: [UInt8]
    ) -> any Error {
        guard case DecodingError.dataCorrupted(let context) = error, context.codingPath.isEmpty else { return error }
        do {
            _ = try decoder.decode(Traced<Info>.self, from: Data(data))
            return error
        } catch {
            return error
        }
    }

    /// Equal payloads give equal bytes.
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded())
            guard let milliseconds else {
                let context = EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "No date.")
                throw EncodingError.invalidValue(date, context)
            }
            var container = encoder.singleValueContainer()
            try container.encode(Timestamp(milliseconds: milliseconds).rfc3339)
        }
        return encoder
    }()

    private static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let time = Timestamp(rfc3339: try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "Expected a time as RFC 3339 has it, such as 2026-11-20T23:19:00.123Z."
                )
            }
            return Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        }
        return decoder
    }()
}
