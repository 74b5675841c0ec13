/// Documents taken apart one level at a time, so that a part can be kept byte for byte as it was sent: a number that a
/// `Double` does not hold, the order of members.
extension JSONReader {
    /// The members of an object by name, each as the place of its value.
    ///
    /// - Parameters:
    ///   - bytes: what was checked before to be JSON.
    ///   - place: where the value begins.
    /// - Returns: nil if it is no object, or has two members of one name.
    package static func members(of bytes: [UInt8], at place: Int = 0) -> [String: Range<Int>]? {
        var reader = JSONReader(bytes: bytes, at: place)
        guard reader.next() == UInt8(ascii: "{") else { return nil }
        reader.index += 1
        var members: [String: Range<Int>] = [:]
        while reader.next() != UInt8(ascii: "}") {
            if bytes[reader.index] == UInt8(ascii: ",") { reader.index += 1 }
            _ = reader.next()
            guard let name = reader.string(), members[name] == nil else { return nil }
            _ = reader.next()
            reader.index += 1  // The colon.
            members[name] = reader.skip()
        }
        return members
    }

    /// The places of an array's elements; nil if the document is no array.
    ///
    /// - Throws: ``TooManyElements`` as soon as there are more of them than that.
    package static func elements(of bytes: [UInt8], atMost limit: Int) throws(TooManyElements) -> [Range<Int>]? {
        var reader = JSONReader(bytes: bytes, at: 0)
        guard reader.next() == UInt8(ascii: "[") else { return nil }
        reader.index += 1
        var elements: [Range<Int>] = []
        while reader.next() != UInt8(ascii: "]") {
            if bytes[reader.index] == UInt8(ascii: ",") { reader.index += 1 }
            guard elements.count < limit else { throw TooManyElements() }
            elements.append(reader.skip())
        }
        return elements
    }

    package struct TooManyElements: Error {}

    /// A value that is neither an object nor an array; nil if it is one, or cannot be held.
    package static func scalar(of bytes: [UInt8], at place: Int) -> JSONValue? {
        guard bytes[place] != UInt8(ascii: "{"), bytes[place] != UInt8(ascii: "[") else { return nil }
        var reader = JSONReader(bytes: bytes, at: place)
        return reader.value()
    }

    /// Passes over a value and tells where it was.
    private mutating func skip() -> Range<Int> {
        _ = next()
        let start = index
        var depth = 0
        repeat {
            switch bytes[index] {
            case UInt8(ascii: "\""): skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09...0x0D: index += 1
            default: skipWord()
            }
        } while depth > 0
        return start..<index
    }

    private mutating func skipString() {
        index += 1
        while bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        index += 1
    }

    /// A number, `true`, `false` or `null`.
    private mutating func skipWord() {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x09...0x0D: return
            default: index += 1
            }
        }
    }
}
