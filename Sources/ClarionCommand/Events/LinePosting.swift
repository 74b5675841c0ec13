import ClarionClient
import FoundationEssentials
import JSON
import Posix

/// Posts lines in batches: what has come while the batch before was posted goes together.
struct LinePosting {
    private let client: ClarionClient
    private let topic: String
    private let type: String?
    private let contentType: String?
    private let key: String?
    /// The number of the line that was read last.
    private var number = 0

    /// How many events a batch has at most; the hub takes 10,000.
    private static let most = 1000
    private static let json = "application/json"

    /// A line that is to be posted.
    private struct Line {
        let number: Int
        let bytes: [UInt8]
        /// Whether it goes as it is, as one of several documents of JSON.
        let isJSON: Bool
    }

    init(_ client: ClarionClient, topic: String, type: String?, contentType: String?, key: String?) {
        self.client = client
        self.topic = topic
        self.type = type
        self.contentType = contentType
        self.key = key
    }

    /// Posts every line, and prints the ids.
    mutating func run(_ file: FileDescriptor) async throws {
        var reader = LineReader(file)
        while let lines = try reader.read() {
            var batch: [Line] = []
            for bytes in lines {
                number += 1
                if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                let line = Line(number: number, bytes: bytes, isJSON: goesAsJSON(bytes))
                if let last = batch.last, last.isJSON != line.isJSON || batch.count == Self.most {
                    try await post(batch)
                    batch = []
                }
                batch.append(line)
            }
            if !batch.isEmpty { try await post(batch) }
        }
    }

    private func goesAsJSON(_ bytes: [UInt8]) -> Bool {
        if key != nil { return false }
        if let contentType { return contentType == Self.json }
        return Self.isObjectOrArray(bytes)
    }

    private func post(_ batch: [Line]) async throws {
        let receipts =
            batch[0].isJSON
            ? try await client.post(jsonLines: batch.map(\.bytes), to: topic, type: type)
            : try await client.post(cloudEvents: batch.map(cloudEvent), to: topic)
        try Output.write(Array(receipts.map { $0.id + "\n" }.joined().utf8))
    }

    /// Data that is no JSON goes in batches as CloudEvents only. The type is what a hub calls events without one.
    private func cloudEvent(_ line: Line) -> [UInt8] {
        let isText = String(validating: line.bytes, as: UTF8.self)
        let stated = contentType ?? (Self.isObjectOrArray(line.bytes) ? Self.json : nil)
        let usual = isText == nil ? "application/octet-stream" : "text/plain; charset=utf-8"
        let members: [String: JSONValue] = [
            "specversion": .string("1.0"),
            "type": .string(type ?? "clarion.event"),
            "source": .string("urn:clarion:post"),
            "id": .string(key.map { "\($0)/\(line.number)" } ?? UUID().uuidString),
            "datacontenttype": .string(stated ?? usual),
        ]
        var document = Array(JSONValue.object(members).bytes.dropLast())
        let (name, text) = isText.map { ("data", $0) } ?? ("data_base64", Data(line.bytes).base64EncodedString())
        document += Array(",\"\(name)\":".utf8)
        document += stated == Self.json ? line.bytes : JSONValue.string(text).bytes
        document.append(UInt8(ascii: "}"))
        return document
    }

    private static func isObjectOrArray(_ bytes: [UInt8]) -> Bool {
        let first = bytes.first { $0 != 0x20 && $0 != 0x09 }
        return (first == UInt8(ascii: "{") || first == UInt8(ascii: "["))
            && JSONDocument.isValid(bytes, maximumDepth: 60)
    }
}

extension LineReader {
    /// The next lines.
    ///
    /// - Throws: the exit.
    mutating func read() throws -> [[UInt8]]? {
        do throws(SystemError) {
            return try next()
        } catch {
            throw Failure.exit(1, "standard input: \(error.reason)")
        }
    }
}
