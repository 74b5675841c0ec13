#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import JSON

extension ClarionClient {
    /// An event as the hub gives it.
    public struct Event: Hashable, Sendable {
        /// Unique in the hub's log.
        public let id: String

        /// The topic that it was posted on.
        public let topic: String

        /// Nil if it was posted without one.
        public let type: String?

        /// When the hub took it: RFC 3339, in UTC, to the millisecond.
        public let time: String

        /// What ``data`` is.
        public let contentType: String?

        /// The data. JSON comes without the line breaks between its tokens, anything else byte for byte.
        ///
        /// But what was posted with a content type of JSON and is none that the hub reads (`{nope`, `1e99999`, half a
        /// surrogate pair, a byte order mark, nesting deeper than 64 levels) comes as a JSON string of its text, quotes
        /// included: it cannot be told from such a string.
        public let data: [UInt8]

        /// The event as one JSON document, as histories show it: `{"id", "topic", "type", "time", "contentType", "data" |
        /// "dataBase64"}`.
        public let json: [UInt8]

        /// The data, if it is UTF-8.
        public var text: String? { String(validating: data, as: UTF8.self) }

        /// Reads a document.
        ///
        /// - Returns: nil if it is none of an event.
        init?(json: [UInt8]) {
            // One level more than data may have.
            guard let document = try? JSONDocument(json, maximumDepth: 128), let members = document.root.members,
                let id = members["id"]?.text, let topic = members["topic"]?.text, let time = members["time"]?.text
            else { return nil }
            self.id = id
            self.topic = topic
            self.time = time
            self.json = json
            type = members["type"]?.text
            contentType = members["contentType"]?.text
            if let base64 = members["dataBase64"]?.text {
                guard let data = Data(base64Encoded: base64) else { return nil }
                self.data = [UInt8](data)
            } else {
                guard let data = members["data"] else { return nil }
                let text = Self.isJSON(contentType) ? nil : data.text
                self.data = text.map { Array($0.utf8) } ?? data.bytes
            }
        }

        /// `*/json` or any `+json` (RFC 6839), whatever its parameters.
        private static func isJSON(_ contentType: String?) -> Bool {
            guard let contentType else { return false }
            let essence = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
            return essence.hasSuffix("/json") || essence.hasSuffix("+json")
        }
    }

    /// History that a stream was to go on from but that is gone.
    public struct Gap: Hashable, Sendable {
        /// The id after which events are missing.
        public let after: String

        /// The id of the event that the stream goes on with; nil if there is none yet.
        public let resumed: String?

        /// `retention`: they were removed. `unknown-id`: the hub's log never had the id, or it is another log.
        public let reason: String

        init?(json: [UInt8]) {
            guard let gap = JSONValue(parsing: json), let after = gap["after"]?.text, let reason = gap["reason"]?.text
            else { return nil }
            self.after = after
            self.reason = reason
            resumed = gap["resumed"]?.text
        }
    }
}
