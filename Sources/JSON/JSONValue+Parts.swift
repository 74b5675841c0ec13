/// A value taken apart: each is nil for a value of another kind.
extension JSONValue {
    /// A member of an object; nil also if it has none of that name.
    package subscript(name: String) -> JSONValue? { if case .object(let members) = self { members[name] } else { nil } }

    /// The elements of an array.
    package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// A string.
    package var text: String? { if case .string(let text) = self { text } else { nil } }

    /// A whole number.
    package var number: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }
}
