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

    /// Decodes strict JSON.
    static func decode<Info: Decodable>(_ type: Info.Type, from data: [UInt8]) throws(InfoMismatch) -> Info {
        let root: JSONView
        do throws(JSONFault) {
            root = try JSONDocument(data, maximumDepth: maximumDepth, isStreamSafe: true).root
        } catch {
            throw InfoMismatch(error)
        }
        do {
            return try InfoDecoder(root).decode(type)
        } catch {
            throw InfoMismatch(error, in: root)
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
}
