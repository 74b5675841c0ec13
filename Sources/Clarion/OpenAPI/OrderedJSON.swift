import MicroHTTP

/// A JSON document whose members keep their order: it is written in the sources, and people read it in that order.
///
/// ```swift
/// let schema: OrderedJSON = ["type": "string", "maxLength": 255]
/// ```
indirect enum OrderedJSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([OrderedJSON])
    case object([Member])
    /// A schema that is described once, under its name: written as a reference to it.
    case schema(Schema)

    struct Member: Hashable, Sendable {
        let name: String
        let value: OrderedJSON
    }

    /// The members of an object; none for anything else.
    var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// The elements of an array; none for anything else.
    var elements: [OrderedJSON] { if case .array(let elements) = self { elements } else { [] } }

    /// The text of a string; nil for anything else.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The value of a member; nil if there is none.
    subscript(name: String) -> OrderedJSON? { members.first { $0.name == name }?.value }

    /// An object with these members after its own; anything else as it is.
    func adding(_ members: [Member]) -> OrderedJSON {
        guard case .object(let own) = self else { return self }
        return .object(own + members)
    }

    /// An object of those of these members that are there.
    static func present(_ members: KeyValuePairs<String, OrderedJSON?>) -> OrderedJSON {
        .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// The document as text, without white space.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += String(value).utf8
        case .integer(let value): bytes += String(value).utf8
        case .number(let value): bytes += String(value).utf8
        case .string(let text): JSONText.append(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONText.append(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        case .schema(let schema): schema.reference.write(to: &bytes)
        }
    }
}

extension OrderedJSON: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral text: String) { self = .string(text) }

    init(booleanLiteral value: Bool) { self = .bool(value) }

    init(integerLiteral value: Int) { self = .integer(value) }

    init(floatLiteral value: Double) { self = .number(value) }

    init(arrayLiteral elements: OrderedJSON...) { self = .array(elements) }

    init(dictionaryLiteral members: (String, OrderedJSON)...) {
        self = .object(members.map { Member(name: $0.0, value: $0.1) })
    }
}
