import JSON
import MicroHTTP
import Spelling

/// Reads the members of a JSON object by name and type.
///
/// Those of a request have names that are known beforehand, so that a typo does not pass silently, and is refused before
/// what else it makes wrong: with `{"topic": […]}`, `topics` is missing, too.
struct JSONMembers {
    private let members: [String: JSONValue]
    /// What stands before the names of members in pointers: empty, or the way to a nested object and a slash.
    private let path: String

    /// Reads a request's body.
    ///
    /// - Parameter known: the names that it may have.
    /// - Throws: `body-invalid` if the value is not an object, `member-unknown`.
    init(_ value: JSONValue, known: Set<String>) throws(Problem) {
        try self.init(stored: value)
        try refuseUnknown(known)
    }

    /// Reads an object that is itself a member of a request's body.
    ///
    /// - Parameters:
    ///   - known: the names that it may have.
    ///   - pointer: the way to it, without a leading slash.
    /// - Throws: `member-invalid` if the value is not an object, `member-unknown`.
    init(_ value: JSONValue, known: Set<String>, at pointer: String) throws(Problem) {
        try self.init(stored: value, at: pointer)
        try refuseUnknown(known)
    }

    /// Reads what the hub wrote itself: members that it does not know are of another version.
    ///
    /// - Throws: `body-invalid` if the value is not an object.
    init(stored value: JSONValue) throws(Problem) {
        guard case .object(let members) = value else {
            throw Problem(.badRequest, code: "body-invalid", detail: "The body must be a JSON object.", pointer: "")
        }
        self.members = members
        path = ""
    }

    /// Reads an object that is itself a member of what the hub wrote.
    ///
    /// - Parameter pointer: the way to it, without a leading slash.
    /// - Throws: `member-invalid` if the value is not an object.
    init(stored value: JSONValue, at pointer: String) throws(Problem) {
        guard case .object(let members) = value else { throw Self.problem(pointer, "must be an object") }
        self.members = members
        path = "\(pointer)/"
    }

    private func refuseUnknown(_ known: Set<String>) throws(Problem) {
        guard let unknown = members.keys.filter({ !known.contains($0) }).min() else { return }
        throw Problem(
            .badRequest,
            code: "member-unknown",
            detail: "There is no member \"\(unknown)\". \(Spelling.advice(on: unknown, known: known))",
            pointer: "/\(path)\(Self.escape(unknown))"
        )
    }

    /// The member's value; nil if it is absent or null.
    func value(_ name: String) -> JSONValue? {
        members[name] == .null ? nil : members[name]
    }

    func string(_ name: String) throws(Problem) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else { throw problem(name, "must be a string") }
        return text
    }

    func bool(_ name: String) throws(Problem) -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .bool(let flag) = value else { throw problem(name, "must be true or false") }
        return flag
    }

    func number(_ name: String) throws(Problem) -> Double? {
        guard let value = value(name) else { return nil }
        guard case .number(let number) = value else { throw problem(name, "must be a number") }
        return number
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let number = try number(name) else { return nil }
        guard let integer = Int(exactly: number), range.contains(integer) else {
            throw problem(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// A number of bytes: a number, or a text such as `"64KiB"`.
    func size(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard case .string(let text) = value(name) else { return try integer(name, in: range) }
        guard let bytes = ByteCount(text: text)?.bytes, range.contains(bytes) else {
            let (least, most) = (ByteCount(range.lowerBound).text, ByteCount(range.upperBound).text)
            throw problem(
                name,
                "must be a size from \(least) to \(most): a number of bytes, or such as \"64KiB\" or \"1GiB\""
            )
        }
        return bytes
    }

    func strings(_ name: String) throws(Problem) -> [String]? {
        guard let value = value(name) else { return nil }
        guard case .array(let elements) = value else { throw problem(name, "must be an array of strings") }
        var strings: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element else { throw problem("\(name)/\(index)", "must be a string") }
            strings.append(text)
        }
        return strings
    }

    func stringMap(_ name: String) throws(Problem) -> [String: String]? {
        guard let value = value(name) else { return nil }
        guard case .object(let members) = value else { throw problem(name, "must be an object of strings") }
        var strings: [String: String] = [:]
        for (key, element) in members {
            guard case .string(let text) = element else {
                throw problem("\(name)/\(Self.escape(key))", "must be a string")
            }
            strings[key] = text
        }
        return strings
    }

    /// A problem with one member of this object.
    func problem(_ name: String, _ what: String) -> Problem { Self.problem(path + name, what) }

    /// A problem with one member of the body.
    static func problem(_ pointer: String, _ what: String) -> Problem {
        Problem(
            .badRequest,
            code: "member-invalid",
            detail: "\"\(pointer)\" \(what).",
            pointer: "/\(pointer)"
        )
    }

    /// A name as a token of a JSON Pointer (RFC 6901 section 3). Byte by byte: a tilde with an accent is one `Character`,
    /// and still a tilde.
    static func escape(_ name: String) -> String {
        var token: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "~"): token += "~0".utf8
            case UInt8(ascii: "/"): token += "~1".utf8
            default: token.append(byte)
            }
        }
        return String(decoding: token, as: UTF8.self)
    }
}
