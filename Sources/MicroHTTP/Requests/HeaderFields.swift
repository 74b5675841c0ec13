import Notation

/// The header fields of a request, in one block of bytes: a hub receives tens of thousands of requests a second and
/// looks at three or four fields of each, so a string is made only of a field that is asked for.
public struct HeaderFields: Sendable {
    private var bytes: [UInt8] = []
    private var fields: [Field] = []

    /// Whether a value was left out because strings of it would take long to compare: the head is to be refused for it.
    private(set) var lacksValue = false

    private struct Field {
        var name: Range<Int>
        var value: Range<Int>
    }

    /// No fields.
    public init() {}

    /// Makes room for fields of so many bytes in all, so that no other has to be made for each.
    mutating func reserve(bytes count: Int) {
        bytes.reserveCapacity(count)
        fields.reserveCapacity(8)
    }

    /// Adds a field after those present.
    mutating func append(name: some Sequence<UInt8>, value: some Sequence<UInt8>) {
        let start = bytes.count
        bytes.append(contentsOf: name)
        let middle = bytes.count
        bytes.append(contentsOf: value)
        if bytes.count - middle > String.mostMixedBytes, !String(decoding: bytes[middle...], as: UTF8.self).isStreamSafe
        {
            bytes.removeSubrange(middle...)
            lacksValue = true
        }
        fields.append(Field(name: start..<middle, value: middle..<bytes.count))
    }

    /// The value of the first field of that name (case does not matter), or nil; bytes that are not UTF-8 are repaired.
    public subscript(name: StaticString) -> String? {
        bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The same as it came: for what is kept, which a repair would make something else.
    public func bytes(of name: StaticString) -> ArraySlice<UInt8>? {
        for field in fields where matches(field.name, name) { return bytes[field.value] }
        return nil
    }

    /// How many fields of that name there are.
    public func count(of name: StaticString) -> Int {
        fields.count { matches($0.name, name) }
    }

    /// Whether there is a field of that name.
    public func contains(_ name: StaticString) -> Bool {
        fields.contains { matches($0.name, name) }
    }

    /// The values of all fields of that name, in order.
    public func values(of name: StaticString) -> [String] {
        fields.filter { matches($0.name, name) }.map { String(decoding: bytes[$0.value], as: UTF8.self) }
    }

    /// Whether every field's name and value satisfy a condition.
    func allSatisfy(_ condition: (ArraySlice<UInt8>, ArraySlice<UInt8>) -> Bool) -> Bool {
        fields.allSatisfy { condition(bytes[$0.name], bytes[$0.value]) }
    }

    /// The fields whose names begin with a prefix, in order, with the names in lower case and without it, and the values
    /// as they came; case does not matter. Costs nothing where there are none.
    public func fields(withPrefix prefix: StaticString) -> [(name: String, value: ArraySlice<UInt8>)] {
        var found: [(name: String, value: ArraySlice<UInt8>)] = []
        for field in fields where field.name.count >= prefix.utf8CodeUnitCount {
            let end = field.name.lowerBound + prefix.utf8CodeUnitCount
            guard matches(field.name.lowerBound..<end, prefix) else { continue }
            let name = bytes[end..<field.name.upperBound].map(\.asciiLowercased)
            found.append((String(decoding: name, as: UTF8.self), bytes[field.value]))
        }
        return found
    }

    /// How many fields there are.
    public var count: Int { fields.count }

    /// ASCII comparison that ignores case (RFC 9110 section 5.1).
    private func matches(_ range: Range<Int>, _ name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        return name.withUTF8Buffer { expected in
            for offset in 0..<range.count {
                let (byte, other) = unsafe (bytes[range.lowerBound + offset], expected[offset])
                // Mostly names are spelled as here.
                guard byte == other || byte.asciiLowercased == other.asciiLowercased else { return false }
            }
            return true
        }
    }
}
