import JSON
import Spelling

/// Why a member of a JSON document is not what it must be.
struct MemberFault: Error {
    /// Which, as a path such as `keys[0].expires`; empty for the document itself.
    let path: String
    /// A sentence about it.
    let message: String

    /// Path and sentence.
    var description: String { path.isEmpty ? message : "\(path): \(message)" }
}

/// The members of a JSON object, read by name and type. None may be unknown, and none null: a template whose variable is
/// missing must not switch a check off.
struct Members {
    private let values: [String: JSONValue]
    private let path: String

    /// - Parameters:
    ///   - path: where the object stands, for faults.
    ///   - known: the names that it may have.
    init(_ value: JSONValue, at path: String, known: [String]) throws(MemberFault) {
        guard case .object(let values) = value else {
            let names = known.joined(separator: ", ")
            throw MemberFault(path: path, message: "It must be an object, which may have the members \(names).")
        }
        self.values = values
        self.path = path
        if let name = values.keys.filter({ !known.contains($0) }).min() {
            throw fault(name, "There is no such member. \(Spelling.advice(on: name, known: known))")
        }
    }

    /// The value of a member, whatever it is.
    subscript(_ name: String) -> JSONValue? { values[name] }

    /// A fault of one of the members.
    func fault(_ name: String, _ message: String) -> MemberFault {
        MemberFault(path: self.path(of: name), message: message)
    }

    /// Where a member stands.
    func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// A text that is not empty; nil if there is no such member.
    func text(_ name: String) throws(MemberFault) -> String? {
        guard let value = values[name] else { return nil }
        guard let text = value.text, !text.isEmpty else { throw fault(name, "It must be a text, not empty.") }
        return text
    }

    /// A text that must be there.
    func required(_ name: String, such meaning: String) throws(MemberFault) -> String {
        guard let text = try text(name) else { throw fault(name, "It is missing: \(meaning).") }
        return text
    }

    /// True or false; nil if there is no such member.
    func flag(_ name: String) throws(MemberFault) -> Bool? {
        guard let value = values[name] else { return nil }
        guard case .bool(let flag) = value else { throw fault(name, "It must be true or false.") }
        return flag
    }

    /// A list of texts; nil if there is no such member.
    func texts(_ name: String) throws(MemberFault) -> [String]? {
        var texts: [String] = []
        guard let elements = try elements(name) else { return nil }
        for (place, element) in elements.enumerated() {
            guard let text = element.text else { throw fault("\(name)[\(place)]", "It must be a text.") }
            texts.append(text)
        }
        return texts
    }

    /// A list; nil if there is no such member.
    func elements(_ name: String) throws(MemberFault) -> [JSONValue]? {
        guard let value = values[name] else { return nil }
        guard let elements = value.elements else { throw fault(name, "It must be a list.") }
        return elements
    }
}
