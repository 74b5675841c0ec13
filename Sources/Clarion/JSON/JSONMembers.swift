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

    /// Reads what a request says.
    ///
    /// - Parameters:
    ///   - known: the names that it may have.
    ///   - pointer: the way to the object, without a leading slash; nil for the body itself.
    /// - Throws: `body-invalid` or `member-invalid` if the value is not an object, `member-unknown`.
    init(_ value: JSONValue, known: Set<String>, at pointer: String? = nil) throws(Problem) {
        try self.init(stored: value, at: pointer)
        guard let unknown = members.keys.filter({ !known.contains($0) }).min() else { return }
        throw Problem(
            .badRequest,
            code: "member-unknown",
            detail: "There is no member \"\(unknown)\". \(Spelling.advice(on: unknown, known: known))",
            pointer: "/\(path)\(Self.escape(unknown))"
        )
    }

    /// Reads what the hub wrote itself: members that it does not know are of another version.
    ///
    /// - Parameter pointer: the way to the object, without a leading slash; nil for the document itself.
    /// - Throws: `body-invalid` or `member-invalid` if the value is not an object.
    init(stored value: JSONValue, at pointer: String? = nil) throws(Problem) {
        guard case .object(let members) = value else {
            if let pointer { throw Self.problem(pointer, "must be an object") }
            throw Problem(.badRequest, code: "body-invalid", detail: "The body must be a JSON object.", pointer: "")
        }
        self.members = members
        path = pointer.map { "\($0)/" } ?? ""
    }

    /// The member's value; nil if it is absent or null.
    func value(_ name: String) -> JSONValue? {
        members[name] == .null ? nil : members[name]
    }

    func string(_ name: String) throws(Problem) -> String? { try read(name, "must be a string", \.text) }

    func bool(_ name: String) throws(Problem) -> Bool? {
        try read(name, "must be true or false") { if case .bool(let flag) = $0 { flag } else { nil } }
    }

    func number(_ name: String) throws(Problem) -> Double? {
        try read(name, "must be a number") { if case .number(let number) = $0 { number } else { nil } }
    }

    private func read<Value>(
        _ name: String,
        _ rule: String,
        _ part: (JSONValue) -> Value?
    ) throws(Problem) -> Value? {
        guard let value = value(name) else { return nil }
        guard let part = part(value) else { throw problem(name, rule) }
        return part
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
        guard let text = value(name)?.text else { return try integer(name, in: range) }
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
        guard let elements = try read(name, "must be an array of strings", \.elements) else { return nil }
        var strings: [String] = []
        for (index, element) in elements.enumerated() {
            guard let text = element.text else { throw problem("\(name)/\(index)", "must be a string") }
            strings.append(text)
        }
        return strings
    }

    func stringMap(_ name: String) throws(Problem) -> [String: String]? {
        guard let value = value(name) else { return nil }
        guard case .object(let members) = value else { throw problem(name, "must be an object of strings") }
        var strings: [String: String] = [:]
        for (key, element) in members {
            guard let text = element.text else { throw problem("\(name)/\(Self.escape(key))", "must be a string") }
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
