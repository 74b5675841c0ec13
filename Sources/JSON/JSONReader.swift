/// Builds values of bytes whose syntax was checked before, in time linear in their length.
///
/// Not Foundation's decoder: it takes trailing commas and byte order marks, picks one of two members of the same name,
/// and through nested containers its time grows with the square of the depth, on requests that anyone may send.
package struct JSONReader {
    let bytes: [UInt8]
    var index: Int

    /// Requests are read into values, and no request of the interface nests deeper than three.
    private static let maximumDepth = 32

    /// - Throws: why the bytes are not taken.
    package static func value(of bytes: [UInt8]) throws(JSONFault) -> JSONValue {
        do throws(JSONDocumentFault) {
            return try document(of: bytes)
        } catch {
            throw error.fault
        }
    }

    /// - Throws: why the bytes are not taken, and where.
    static func document(of bytes: [UInt8]) throws(JSONDocumentFault) -> JSONValue {
        if let (fault, offset) = JSONSyntax.firstFault(in: bytes, maximumDepth: maximumDepth) {
            throw JSONDocumentFault(fault, at: offset, in: bytes)
        }
        var reader = JSONReader(bytes: bytes, at: 0)
        // Numbers and escapes were checked.
        guard let value = reader.value() else { throw JSONDocumentFault(.repeatedMember, at: reader.index, in: bytes) }
        return value
    }

    /// - Parameter index: where to read on; the syntax of all bytes was checked.
    init(bytes: [UInt8], at index: Int) {
        self.bytes = bytes
        self.index = index
    }

    /// The next byte that is no white space; the syntax promises that there is one.
    mutating func next() -> UInt8 {
        while bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index]) { index += 1 }
        return bytes[index]
    }

    mutating func value() -> JSONValue? {
        switch next() {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return string().map(JSONValue.string)
        case UInt8(ascii: "t"): return literal(.bool(true), length: 4)
        case UInt8(ascii: "f"): return literal(.bool(false), length: 5)
        case UInt8(ascii: "n"): return literal(.null, length: 4)
        default: return number()
        }
    }

    private mutating func object() -> JSONValue? {
        index += 1
        var members: [String: JSONValue] = [:]
        while next() != UInt8(ascii: "}") {
            if bytes[index] == UInt8(ascii: ",") { index += 1 }
            _ = next()
            guard let name = string(), members[name] == nil else { return nil }
            _ = next()
            index += 1  // The colon.
            guard let value = value() else { return nil }
            members[name] = value
        }
        index += 1
        return .object(members)
    }

    private mutating func array() -> JSONValue? {
        index += 1
        var elements: [JSONValue] = []
        while next() != UInt8(ascii: "]") {
            if bytes[index] == UInt8(ascii: ",") { index += 1 }
            guard let value = value() else { return nil }
            elements.append(value)
        }
        index += 1
        return .array(elements)
    }

    private mutating func literal(_ value: JSONValue, length: Int) -> JSONValue {
        index += length
        return value
    }

    /// A number beyond what a `Double` holds is refused: it could not be given back.
    private mutating func number() -> JSONValue? {
        let digits = bytes[index...].prefix { "+-.0123456789eE".utf8.contains($0) }
        index = digits.endIndex
        guard let number = Double(String(decoding: digits, as: UTF8.self)), number.isFinite else { return nil }
        return .number(number)
    }

    mutating func string() -> String? {
        index += 1
        var text: [UInt8] = []
        while bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\") {
                index += 1
                guard let scalar = escape() else { return nil }
                text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            } else {
                text.append(bytes[index])
                index += 1
            }
        }
        index += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// The character after a backslash; nil for half a surrogate pair.
    private mutating func escape() -> Unicode.Scalar? {
        defer { index += 1 }
        switch bytes[index] {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = codeUnit()
            guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
            guard bytes[index + 1] == UInt8(ascii: "\\"), bytes[index + 2] == UInt8(ascii: "u") else { return nil }
            index += 2
            let trail = codeUnit()
            guard UTF16.isTrailSurrogate(trail) else { return nil }
            return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
        default: return Unicode.Scalar(bytes[index])
        }
    }

    /// The four digits after the `u` at the index, which comes to stand on the last.
    private mutating func codeUnit() -> UInt16 {
        let digits = bytes[(index + 1)...(index + 4)]
        index += 4
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0xFFFD
    }
}
