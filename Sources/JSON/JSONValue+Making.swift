/// A value made of what a program has.
extension JSONValue {
    /// A string; null if there is none.
    package init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

    /// A whole number, to the unit up to 2⁵³; null if there is none.
    package init(_ number: (some BinaryInteger)?) { self = number.map { .number(Double($0)) } ?? .null }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral {
    package init(stringLiteral text: String) { self = .string(text) }

    package init(booleanLiteral value: Bool) { self = .bool(value) }

    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(uniqueKeysWithValues: members))
    }
}
