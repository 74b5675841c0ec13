import MicroHTTP

/// Reads the members of a JSON object by name and type, and refuses those that nobody asked for, so that a typo does
/// not pass silently.
struct JSONMembers {
    private let members: [String: JSONValue]
    private var known: Set<String> = []
    /// What stands before the names of members in pointers: empty, or the way to a nested object and a slash.
    private let path: String

    /// - Throws: `body-invalid` if the value is not an object.
    init(_ value: JSONValue) throws(Problem) {
        guard case .object(let members) = value else {
            throw Problem(.badRequest, code: "body-invalid", detail: "The body must be a JSON object.", pointer: "")
        }
        self.members = members
        path = ""
    }

    /// Reads an object that is itself a member.
    /// - Parameter pointer: the way to it, without a leading slash.
    /// - Throws: `member-invalid` if the value is not an object.
    init(_ value: JSONValue, at pointer: String) throws(Problem) {
        guard case .object(let members) = value else { throw Self.problem(pointer, "must be an object") }
        self.members = members
        path = "\(pointer)/"
    }

    /// Parses a request's body.
    init(body: [UInt8]) throws(Problem) {
        let value: JSONValue
        do throws(JSONFault) { value = try JSONReader.value(of: body) } catch { throw Problem(error) }
        try self.init(value)
    }

    /// The member's value; nil if it is absent or null.
    mutating func value(_ name: String) -> JSONValue? {
        known.insert(name)
        return members[name] == .null ? nil : members[name]
    }

    mutating func string(_ name: String) throws(Problem) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else { throw problem(name, "must be a string") }
        return text
    }

    mutating func bool(_ name: String) throws(Problem) -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .bool(let flag) = value else { throw problem(name, "must be true or false") }
        return flag
    }

    mutating func number(_ name: String) throws(Problem) -> Double? {
        guard let value = value(name) else { return nil }
        guard case .number(let number) = value else { throw problem(name, "must be a number") }
        return number
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let number = try number(name) else { return nil }
        guard let integer = Int(exactly: number), range.contains(integer) else {
            throw problem(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    mutating func strings(_ name: String) throws(Problem) -> [String]? {
        guard let value = value(name) else { return nil }
        guard case .array(let elements) = value else { throw problem(name, "must be an array of strings") }
        var strings: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element else { throw problem("\(name)/\(index)", "must be a string") }
            strings.append(text)
        }
        return strings
    }

    mutating func stringMap(_ name: String) throws(Problem) -> [String: String]? {
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

    /// Refuses members that were not read.
    func end() throws(Problem) {
        guard let unknown = members.keys.filter({ !known.contains($0) }).min() else { return }
        let others = known.isEmpty ? "There are none here." : "Known ones: \(known.sorted().joined(separator: ", "))."
        throw Problem(
            .badRequest,
            code: "member-unknown",
            detail: "There is no member \"\(unknown)\". \(others)",
            pointer: "/\(path)\(Self.escape(unknown))"
        )
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
