import EventLog
import JSON
import MicroHTTP
import Notation
import Spelling

/// The context attributes of a CloudEvent as they were posted, checked (CloudEvents 1.0.2, "Type System" and "Context
/// Attributes").
struct CloudEventAttributes {
    /// Where attributes were found, so that the one to blame can be named.
    enum Place {
        /// In `ce-` header fields.
        case headers
        /// In the members of an object, given as a JSON Pointer.
        case members(of: String)

        func problem(_ attribute: String, _ detail: String) -> Problem {
            switch self {
            case .headers:
                Problem(
                    .badRequest,
                    code: "cloudevent-invalid",
                    detail: detail,
                    parameter: attribute == "datacontenttype" ? "Content-Type" : "ce-\(attribute)"
                )
            case .members(let pointer):
                Problem(
                    .badRequest,
                    code: "cloudevent-invalid",
                    detail: detail,
                    pointer: "\(pointer)/\(JSONMembers.escape(attribute))"
                )
            }
        }

        /// What several SDKs leave out there, after a sentence.
        var escaping: String {
            switch self {
            case .headers: " In a ce- header write a percent sign as %25, or post in structured mode."
            case .members: ""
            }
        }

        /// The event has more attributes than ``maximumCount``.
        var tooMany: Problem {
            let detail = "A CloudEvent has at most \(maximumCount) attributes here."
            return switch self {
            case .headers: Problem(.badRequest, code: "cloudevent-invalid", detail: detail)
            case .members(let pointer):
                Problem(.badRequest, code: "cloudevent-invalid", detail: detail, pointer: pointer)
            }
        }
    }

    /// More than header fields that any server takes, in which webhooks get them; each is checked, sorted and stored.
    static let maximumCount = 256

    /// The event's type.
    let type: String
    /// All others but `specversion`.
    let others: [String: JSONValue]

    /// What this hub adds itself to what it gives back. Posted, by a hub that passes events on, it is another hub's.
    static let id = "clarionid"
    static let topic = "clariontopic"

    /// What may come back beside the attributes of an event.
    static let added = [id, topic, "traceparent"]

    private static let required = ["specversion", "id", "source", "type"]
    private static let optional = ["datacontenttype", "dataschema", "subject", "time"]

    /// Checks every attribute.
    ///
    /// - Throws: `cloudevent-invalid`.
    init(_ posted: [String: JSONValue], at place: Place) throws(Problem) {
        let added = Self.added.count { posted[$0] != nil }
        guard posted.count - added <= Self.maximumCount else { throw place.tooMany }
        // In the order of their names, so that of several that are wrong the same one is named each time.
        for (name, value) in posted.sorted(by: { $0.key < $1.key }) { try Self.check(name, value, at: place) }
        for name in Self.required where posted[name] == nil {
            let hint = Self.misspelling(of: name, in: posted).map { " Is \"\($0)\" meant to be it?" }
            throw place.problem(name, "A CloudEvent needs \"\(name)\".\(hint ?? "")")
        }
        for name in Self.required + Self.optional {
            guard let value = posted[name] else { continue }
            guard case .string(let text) = value, !text.isEmpty else {
                throw place.problem(name, "\"\(name)\" must be a string that is not empty.")
            }
            try Self.check(name, text, at: place)
        }
        var others = posted
        others["specversion"] = nil
        guard case .string(let type) = others.removeValue(forKey: "type") else {
            throw place.problem("type", "A CloudEvent needs \"type\".")
        }
        others[Self.id] = nil
        others[Self.topic] = nil
        self.type = type
        self.others = others
    }

    /// An extension that is most likely an attribute with a typo: any name is legal for one.
    private static func misspelling(of name: String, in posted: [String: JSONValue]) -> String? {
        posted.keys.sorted().first { candidate in
            !(required + optional).contains(candidate) && Spelling.nearest(to: candidate, among: [name]) != nil
        }
    }

    /// What holds for any attribute.
    private static func check(_ name: String, _ value: JSONValue, at place: Place) throws(Problem) {
        let isName = !name.isEmpty && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0.isDigit }
        guard isName, name != "data" else {
            throw place.problem(
                name,
                "\"\(name)\" is no name of an attribute: only a to z and 0 to 9, and not \"data\"."
            )
        }
        switch value {
        case .bool: return
        case .number(let number):
            guard Int32(exactly: number) != nil else {
                throw place.problem(name, "\"\(name)\" must be a whole number from -2147483648 to 2147483647.")
            }
        case .string(let text):
            guard text.unicodeScalars.allSatisfy(isAllowed) else {
                throw place.problem(name, "\"\(name)\" must not have control characters or code points without one.")
            }
            guard text.isStreamSafe else { throw place.problem(name, "\"\(name)\" \(JSONFault(.marks).predicate).") }
        case .null, .array, .object:
            throw place.problem(name, "\"\(name)\" must be a string, a whole number or a boolean.")
        }
    }

    /// What holds for one of those that the specification defines.
    private static func check(_ name: String, _ text: String, at place: Place) throws(Problem) {
        switch name {
        case "specversion":
            if text != "1.0" { throw place.problem(name, "The version that is taken is \"1.0\".") }
        case "type":
            if !EventType.isValid(text) { throw place.problem(name, "\"type\" has at most 128 characters here.") }
        case "time":
            if Timestamp(rfc3339: text) == nil {
                throw place.problem(name, "\"time\" must be as RFC 3339 has it, such as 2026-11-20T23:19:00Z.")
            }
        case "datacontenttype":
            let parts = ContentType.essence(text).split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts.contains(""), text.utf8.count <= ContentType.maximumLength else {
                throw place.problem(
                    name,
                    "\"datacontenttype\" must be a media type, such as application/json, of at most "
                        + "\(ContentType.maximumLength) bytes."
                )
            }
        case "source":
            if !URIReference.isValid(text) {
                throw place.problem(name, "\"source\" must be a URI reference (RFC 3986).\(place.escaping)")
            }
        case "dataschema":
            guard URIReference.isValid(text), URIReference.hasScheme(text) else {
                throw place.problem(name, "\"dataschema\" must be a URI (RFC 3986) with its scheme.\(place.escaping)")
            }
        default: return
        }
    }

    /// The characters of a String (CloudEvents 1.0.2, "Type System"); a Swift string has no surrogates.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: false
        default: scalar.value & 0xFFFE != 0xFFFE
        }
    }
}
