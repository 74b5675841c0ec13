import FoundationEssentials
import JSON

/// Notifications' payloads as JSON.
enum InfoCoder {
    /// Requests of the hub's own interface may nest as deep. Foundation's time for a value of any type grows with the
    /// square of the depth, and anyone may post.
    static let maximumDepth = 32

    /// - Throws: what the payload's `encode(to:)` does as its cause, and for numbers that JSON does not have.
    static func encode(_ info: some Encodable) throws(UnencodableValue) -> [UInt8] {
        try JSONEncoder.bytes(of: info)
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
}
