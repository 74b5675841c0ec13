/// A value of a checked document, as it stands there: nothing is lost that a `Double` or a dictionary does not hold.
///
/// ```swift
/// let members = try JSONDocument(Array(#"{"id": 12345678901234567890}"#.utf8)).root.members
/// members?["id"]?.digits                       // "12345678901234567890"
/// ```
package struct JSONView: Sendable {
    package enum Kind: Sendable { case null, bool, number, string, array, object }

    private let document: [UInt8]

    /// Where the value stands in its document, without white space around it.
    package let place: Range<Int>

    /// A value that stands nowhere.
    package static let null = JSONView(Array("null".utf8), 0..<4)

    /// - Parameter document: what was checked to be JSON.
    init(_ document: [UInt8], _ place: Range<Int>) {
        self.document = document
        self.place = place
    }

    package var kind: Kind { Kind(first: document[place.lowerBound]) }

    /// The value byte for byte.
    package var bytes: [UInt8] { Array(document[place]) }

    /// What a string says.
    package var text: String? { kind == .string ? walk.text(in: place) : nil }

    /// A number as it is written.
    package var digits: String? { kind == .number ? String(decoding: document[place], as: UTF8.self) : nil }

    package var bool: Bool? { kind == .bool ? document[place.lowerBound] == UInt8(ascii: "t") : nil }

    /// What is neither an object nor an array.
    package var scalar: JSONValue? {
        switch kind {
        case .null: .null
        case .bool: bool.map(JSONValue.bool)
        case .number: digits.flatMap { Double($0) }.map(JSONValue.number)
        case .string: text.map(JSONValue.string)
        case .array, .object: nil
        }
    }

    /// The members of an object in their order, two of one name as well.
    package var entries: [(name: String, value: JSONView)]? {
        guard kind == .object else { return nil }
        var entries: [(name: String, value: JSONView)] = []
        var walk = walk
        _ = walk.object { walk, name in
            guard let value = walk.value() else { return false }
            entries.append((walk.text(in: name), JSONView(document, value)))
            return true
        }
        return entries
    }

    /// The members of an object by name; nil also if it has two of one name.
    package var members: [String: JSONView]? {
        guard let entries else { return nil }
        let members = Dictionary(entries.lazy.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        return members.count == entries.count ? members : nil
    }

    /// The elements of an array.
    ///
    /// - Parameter limit: how many are looked for at most.
    package func elements(first limit: Int = .max) -> [JSONView]? {
        guard kind == .array else { return nil }
        var elements: [JSONView] = []
        var walk = walk
        _ = walk.array { walk in
            guard elements.count < limit, let value = walk.value() else { return false }
            elements.append(JSONView(document, value))
            return true
        }
        return elements
    }

    /// Begins at the value. The depth of all was checked.
    var walk: JSONWalk { JSONWalk(document, at: place.lowerBound, maximumDepth: .max) }
}

extension JSONView.Kind {
    /// - Parameter first: the first byte of a value.
    init(first byte: UInt8?) {
        switch byte {
        case UInt8(ascii: "{"): self = .object
        case UInt8(ascii: "["): self = .array
        case UInt8(ascii: "\""): self = .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .bool
        case UInt8(ascii: "n"): self = .null
        default: self = .number
        }
    }
}
