import ClarionClient
import FoundationEssentials
import Glibc
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
    private var printout = Printout()

    private static let json = "application/json"

    /// A line that is to be posted.
    private struct Line {
        let number: Int
        let bytes: [UInt8]
        /// The event as it stands in the body of a post.
        let document: [UInt8]
        /// Whether that is the line itself, as one of several documents of JSON; otherwise it is a CloudEvent.
        let isJSON: Bool
    }

    init(_ client: ClarionClient, topic: String, type: String?, contentType: String?, key: String?) {
        self.client = client
        self.topic = topic
        self.type = type
        self.contentType = contentType
        self.key = key
    }

    /// Posts every line, and prints the ids, as long as somebody reads them.
    ///
    /// - Parameter name: what the file is called if it cannot be read.
    mutating func run(_ file: FileDescriptor, of name: String) async throws {
        var reader = LineReader(file)
        while let lines = try reader.read(name) {
            var batch = Batch<Line>()
            for bytes in lines {
                number += 1
                if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                let isJSON = goesAsJSON(bytes)
                let document = isJSON ? bytes : cloudEvent(bytes)
                let line = Line(number: number, bytes: bytes, document: document, isJSON: isJSON)
                // With what parts it from the next.
                let size = line.document.count + 1
                if let last = batch.last, last.isJSON != isJSON || !batch.hasRoom(for: size) {
                    try await post(batch.take())
                }
                batch.append(line, bytes: size)
            }
            try await post(batch.take())
        }
        try printout.end("all lines are posted")
    }

    private func goesAsJSON(_ bytes: [UInt8]) -> Bool {
        if key != nil { return false }
        if let contentType { return contentType == Self.json }
        return Self.isObjectOrArray(bytes)
    }

    private mutating func post(_ parts: Batch<Line>.Parts) async throws {
        var parts = parts
        while let part = parts.next(), let first = part.first {
            do throws(ClientError) {
                print(try await post(part))
            } catch {
                // Nothing of it was stored. Which line it is for is seen in ever smaller parts.
                guard error.isOfEvents else { throw error }
                if part.count > 1 { parts.halve(part) } else { print(try await postAlone(first, after: error)) }
            }
        }
    }

    private mutating func print(_ receipts: [ClarionClient.Receipt]) {
        for receipt in receipts { printout.line(receipt.id) }
    }

    /// Posts a line as its data, as the command without `--lines` does: a CloudEvent is larger, and cannot have every type.
    ///
    /// - Parameter refusal: what the hub said to it in the other form.
    /// - Throws: the exit, with the line's number.
    private func postAlone(_ line: Line, after refusal: ClientError) async throws -> [ClarionClient.Receipt] {
        do throws(ClientError) {
            // It would be taken for several events, or for one that says itself what it is.
            let isEnvelope = ["application/x-ndjson", "application/cloudevents"].contains { name in
                contentType?.lowercased().hasPrefix(name) == true
            }
            // What is called JSON and is none is refused, as it is without a key. What differs under its key is refused, too: the
            // key of a post's data is another to a hub than that of a CloudEvent, and it would be stored.
            guard !line.isJSON, !isEnvelope, !refusal.isOfDocument, refusal.code != "idempotency-conflict" else {
                throw refusal
            }
            return try await client.postAll(
                line.bytes,
                to: topic,
                type: type,
                contentType: mediaType(of: line.bytes),
                key: key(line.number)
            )
        } catch {
            throw Failure.exit(error, of: "line \(line.number), where posting ends")
        }
    }

    private func post(_ lines: ArraySlice<Line>) async throws(ClientError) -> [ClarionClient.Receipt] {
        let documents = lines.map { $0.document }
        return lines.first?.isJSON == true
            ? try await client.post(jsonLines: documents, to: topic, type: type)
            : try await client.post(cloudEvents: documents, to: topic)
    }

    /// Data that is no JSON goes in batches as CloudEvents only. The type is what a hub calls events without one.
    private func cloudEvent(_ line: [UInt8]) -> [UInt8] {
        let isText = String(validating: line, as: UTF8.self)
        let mediaType = mediaType(of: line)
        let members: [String: JSONValue] = [
            "specversion": .string("1.0"),
            "type": .string(type ?? "clarion.event"),
            "source": .string("urn:clarion:post"),
            "id": .string(key(number) ?? UUID().uuidString),
            "datacontenttype": .string(mediaType),
        ]
        var document = Array(JSONValue.object(members).bytes.dropLast())
        let (name, text) = isText.map { ("data", $0) } ?? ("data_base64", Data(line).base64EncodedString())
        document += Array(",\"\(name)\":".utf8)
        document += mediaType == Self.json ? line : JSONValue.string(text).bytes
        document.append(UInt8(ascii: "}"))
        return document
    }

    private func mediaType(of line: [UInt8]) -> String {
        if let contentType { return contentType }
        if Self.isObjectOrArray(line) { return Self.json }
        return String(validating: line, as: UTF8.self) == nil ? "application/octet-stream" : "text/plain; charset=utf-8"
    }

    private func key(_ number: Int) -> String? { key.map { "\($0)/\(number)" } }

    private static func isObjectOrArray(_ bytes: [UInt8]) -> Bool {
        let first = bytes.first { $0 != 0x20 && $0 != 0x09 }
        return (first == UInt8(ascii: "{") || first == UInt8(ascii: "["))
            && JSONDocument.isValid(bytes, maximumDepth: 60)
    }
}

extension LineReader {
    /// What the file is called that has no name.
    static let standardInput = "standard input"

    /// The next lines.
    ///
    /// - Throws: the exit, with the file's name.
    mutating func read(_ name: String) throws -> [[UInt8]]? {
        do throws(SystemError) {
            return try next()
        } catch {
            throw Failure.exit(EX_NOINPUT, "\(name): \(error.reason)")
        }
    }
}
