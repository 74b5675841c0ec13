internal import HTTPTransport
internal import JSON
#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ClarionClient {
    /// What the hub says of an event that it has stored.
    public struct Receipt: Hashable, Sendable {
        /// The event's id.
        public let id: String
        /// When it was posted: RFC 3339, in UTC.
        public let time: String
        /// Whether it had been stored before, under the same key.
        public let isReplay: Bool
    }

    /// Posts text. It is stored when this returns.
    ///
    /// - Parameters:
    ///   - text: the data.
    ///   - topic: where to; it need not be there.
    ///   - type: 1 to 128 characters.
    ///   - contentType: nil for JSON if it is a JSON object or array, and for plain text otherwise.
    ///   - key: an idempotency key, 1 to 255 printable ASCII characters. The same post under it is stored once within 24
    ///     hours, however often it is sent: without one, what is repeated after an error may be there twice. That goes for
    ///     a post that was cancelled, or never answered, too.
    /// - Throws: ``ClientError``.
    @discardableResult
    public func post(
        _ text: String,
        to topic: String,
        type: String? = nil,
        contentType: String? = nil,
        key: String? = nil
    ) async throws(ClientError) -> Receipt {
        try await post(Array(text.utf8), to: topic, type: type, contentType: contentType, key: key)
    }

    /// Posts bytes: see ``post(_:to:type:contentType:key:)-(String,_,_,_,_)``.
    @discardableResult
    public func post(
        _ data: [UInt8],
        to topic: String,
        type: String? = nil,
        contentType: String? = nil,
        key: String? = nil
    ) async throws(ClientError) -> Receipt {
        let receipts = try await postAll(data, to: topic, type: type, contentType: contentType, key: key)
        guard let receipt = receipts.first else { throw unreadable }
        return receipt
    }

    /// Posts bytes, which by their content type may be several events, or none.
    ///
    /// - Parameter headers: fields of the caller's own, such as the attributes of a CloudEvent in binary mode.
    /// - Returns: one for each event.
    package func postAll(
        _ data: [UInt8],
        to topic: String,
        type: String?,
        contentType: String?,
        key: String?,
        headers: [(String, String)] = []
    ) async throws(ClientError) -> [Receipt] {
        guard contentType?.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) ?? true else {
            throw ClientError(
                code: ClientError.argumentInvalid,
                detail: "A content type has no control characters.",
                parameter: "contentType"
            )
        }
        var call = try posting(on: topic, type: type, key: key)
        call.headers = headers.map { ($0.0, $0.1) }
        call.carry(data, as: contentType)
        return try await receipts(call)
    }

    /// Posts a value as JSON, with the members in the order of their names, and dates as RFC 3339, those outside of the years
    /// 0000 to 9999 as the nearest inside: what a topic that is bound to a notification in the hub's process expects.
    @discardableResult
    public func post(
        json value: some Encodable,
        to topic: String,
        type: String? = nil,
        key: String? = nil
    ) async throws(ClientError) -> Receipt {
        let data: [UInt8]
        do {
            data = try JSONEncoder.bytes(of: value)
        } catch {
            throw ClientError(code: ClientError.argumentInvalid, detail: "The value is none of JSON: \(error)")
        }
        return try await post(data, to: topic, type: type, contentType: "application/json", key: key)
    }

    /// Posts several events whose data is JSON, next to each other: all or none.
    ///
    /// - Parameters:
    ///   - documents: up to 10,000. Line breaks between tokens are left out.
    ///   - topic: where to.
    ///   - type: of all of them.
    ///   - key: an idempotency key of them all.
    /// - Throws: ``ClientError``, with `argument-invalid` if a document is empty, or has line breaks and is no JSON.
    public func post(
        jsonLines documents: [[UInt8]],
        to topic: String,
        type: String? = nil,
        key: String? = nil
    ) async throws(ClientError) -> [Receipt] {
        var call = try posting(on: topic, type: type, key: key)
        call.carry(try Self.lines(of: documents), as: "application/x-ndjson")
        return try await receipts(call)
    }

    /// Each document in one line. What is in one line already is for the hub to judge, unless it would pass over it.
    static func lines(of documents: [[UInt8]]) throws(ClientError) -> [UInt8] {
        var lines: [[UInt8]] = []
        for (index, document) in documents.enumerated() {
            let hasBreaks = document.contains { $0 == 0x0A || $0 == 0x0D }
            let isBlank = document.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            // In JSON line breaks stand between tokens alone, where they are white space.
            guard !isBlank, !hasBreaks || JSONDocument.isValid(document) else {
                throw notJSON(index, of: documents.count)
            }
            lines.append(hasBreaks ? document.filter { $0 != 0x0A && $0 != 0x0D } : document)
        }
        return Array(lines.joined(separator: [0x0A]))
    }

    private static func notJSON(_ index: Int, of count: Int) -> ClientError {
        ClientError(
            code: ClientError.argumentInvalid,
            detail: "\(count == 1 ? "The document" : "Document \(index + 1)") is not valid JSON.",
            pointer: "/\(index)"
        )
    }

    /// Posts several CloudEvents, next to each other: all or none. Each is stored once within 24 hours for its `source`
    /// and `id`.
    ///
    /// - Parameters:
    ///   - documents: up to 10,000, in structured mode.
    ///   - topic: where to.
    ///   - key: an idempotency key of them all, instead of their own.
    /// - Throws: ``ClientError``, with `argument-invalid` if a document is no JSON.
    public func post(
        cloudEvents documents: [[UInt8]],
        to topic: String,
        key: String? = nil
    ) async throws(ClientError) -> [Receipt] {
        if let index = documents.firstIndex(where: { !JSONDocument.isValid($0, maximumDepth: 512) }) {
            throw Self.notJSON(index, of: documents.count)
        }
        var call = try posting(on: topic, type: nil, key: key)
        let body = Array("[".utf8) + documents.joined(separator: [UInt8(ascii: ",")]) + Array("]".utf8)
        call.carry(body, as: "application/cloudevents-batch+json")
        return try await receipts(call)
    }

    func posting(on topic: String, type: String?, key: String?) throws(ClientError) -> Call {
        guard !topic.isEmpty else {
            throw ClientError(code: ClientError.argumentInvalid, detail: "A topic has at least one character.")
        }
        var call = Call("POST", "topics", topic, "events")
        // In the query, where all characters can be.
        call.ask("type", type)
        call.ask("key", key)
        return call
    }

    func receipts(_ call: Call) async throws(ClientError) -> [Receipt] {
        let (head, body) = try await body(call, atMost: Self.listBytes)
        guard let document = JSONValue(parsing: body) else { throw unreadable }
        let isReplay = head["Idempotent-Replayed"] == "true"
        var receipts: [Receipt] = []
        for event in document["events"]?.elements ?? [document] {
            guard let id = event["id"]?.text, let time = event["time"]?.text else { throw unreadable }
            receipts.append(Receipt(id: id, time: time, isReplay: isReplay))
        }
        return receipts
    }
}
