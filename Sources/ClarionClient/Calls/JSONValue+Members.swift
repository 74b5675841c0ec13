package import JSON

/// What the hub answers, taken apart.
extension JSONValue {
    /// A member of an object; nil if it is none, or has none of that name.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The elements of an array.
    package var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// A string.
    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// A whole number.
    package var number: Int? {
        guard case .number(let number) = self else { return nil }
        return Int(exactly: number)
    }
}
