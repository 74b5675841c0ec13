import FoundationEssentials
import JSON
import Notation

/// An event as a line of an export: a structured CloudEvent that knows its topic.
struct ExportedEvent {
    let topic: String
    /// The line.
    let bytes: [UInt8]
    private let members: [String: JSONView]

    /// How the hub says its topic, and its own id of an event that has another.
    private static let topicName = "clariontopic"
    private static let idName = "clarionid"

    /// What a hub calls events without a type.
    private static let noType = "clarion.event"

    /// - Returns: nil if it is none.
    init?(_ bytes: [UInt8]) {
        guard let document = try? JSONDocument(bytes, maximumDepth: 128), let members = document.root.members,
            members["specversion"]?.text != nil
        else { return nil }
        // What was posted as something else than a CloudEvent has its topic as its subject.
        let name = members[Self.topicName] == nil ? "subject" : Self.topicName
        guard let topic = members[name]?.text, !topic.isEmpty else { return nil }
        self.topic = topic
        self.bytes = bytes
        self.members = members
    }

    /// A member whose name no attribute of a CloudEvent has (CloudEvents 1.0.2, section 3.1); nil if there is none. It would
    /// be the name of a header, where a line break begins another request.
    var foreignMember: String? {
        members.keys.sorted().first { name in
            name.isEmpty || name != "data_base64" && !name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0.isDigit }
        }
    }

    /// What no CloudEvent has, as the rest of a sentence; nil if there is nothing. A hub refuses it. Posted as its data, the event
    /// would be taken with its data lost, or with such a member as a text.
    var fault: String? {
        // Null is the same as left out.
        if let base64 = members["data_base64"], base64.kind != .null {
            guard members["data"] == nil else { return "it has both \"data\" and \"data_base64\"" }
            guard base64.text.flatMap({ Data(base64Encoded: $0) }) != nil else {
                return "\"data_base64\" is no string of base64"
            }
        }
        let nested = members.filter { $0.key != "data" && ($0.value.kind == .object || $0.value.kind == .array) }
        return nested.keys.min().map { "\"\($0)\" is an object or an array, which no attribute of a CloudEvent is" }
    }

    /// Whether the hub posts there itself, and nobody else may.
    var isReserved: Bool { topic.utf8.starts(with: "clarion.".utf8) }

    /// Whether both are on one topic. Names are bytes for a hub: Swift takes `é` in one code point and in two for the same.
    func isOnTopic(of other: ExportedEvent) -> Bool { topic.utf8.elementsEqual(other.topic.utf8) }

    /// A line of history as one of an export.
    ///
    /// - Returns: nil for what is none of an event, or of a reserved topic.
    static func line(_ history: [UInt8]) -> [UInt8]? {
        guard let event = ExportedEvent(history), !event.isReserved else { return nil }
        if event.members[topicName] != nil { return history }
        let end = history.lastIndex(of: UInt8(ascii: "}")) ?? history.endIndex
        let member = Array(",\"\(topicName)\":".utf8) + JSONValue.string(event.topic).bytes
        return history[..<end] + member + history[end...]
    }

    /// Whether it was posted as it is, with no attributes but those that the hub made for it.
    private var isPlain: Bool {
        members[Self.idName] == nil && text("subject")?.utf8.elementsEqual(topic.utf8) == true
            && text("source")?.hasPrefix("/topics/") == true
    }

    /// Whether a hub would take its data for JSON, although nobody said so.
    var isAmbiguous: Bool { isPlain && members["datacontenttype"] == nil && members["data"] != nil }

    /// What a hub tells a CloudEvent from all others by, in bytes, which holds for a day: later it may come again. Nil if it was
    /// posted as something else, and is named by the hub's id.
    var identity: [[UInt8]]? {
        isPlain ? nil : [topic, text("source") ?? "", text("id") ?? ""].map { Array($0.utf8) }
    }

    /// An idempotency key that no other event of the log has.
    var key: String { "clarion-import/\(text(Self.idName) ?? text("id") ?? "")" }

    /// The event as a post of its data alone: for what a hub does not take as a CloudEvent, because it is larger so, or has
    /// a type or content type that a CloudEvent cannot have. It has no ``foreignMember`` and no ``fault``.
    var asData: (data: [UInt8], type: String?, contentType: String?, attributes: [(String, String)]) {
        if isPlain {
            let type = text("type")
            return (data, type == Self.noType ? nil : type, text("datacontenttype"), [])
        }
        let apart: Set = ["data", "data_base64", "datacontenttype", Self.topicName, Self.idName]
        let attributes = members.filter { !apart.contains($0.key) }.sorted { $0.key < $1.key }.map { name, value in
            let value = value.text ?? String(decoding: value.bytes, as: UTF8.self)
            return ("ce-\(name)", PercentEncoding.encode(value, but: .cloudEvents))
        }
        return (data, nil, text("datacontenttype"), attributes)
    }

    private var data: [UInt8] {
        if let base64 = text("data_base64") { return Data(base64Encoded: base64).map { [UInt8]($0) } ?? [] }
        guard let data = members["data"] else { return [] }
        let type = text("datacontenttype").map { $0.prefix { $0 != ";" }.lowercased() }
        let isJSON = type.map { $0.hasSuffix("/json") || $0.hasSuffix("+json") } ?? !isPlain
        return isJSON ? data.bytes : Array((data.text ?? "").utf8)
    }

    /// A member that is a string.
    private func text(_ name: String) -> String? { members[name]?.text }
}
