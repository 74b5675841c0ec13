import Notation

/// The one walk over bytes of JSON. It checks the grammar as it goes, and shows members and elements to who asks for them.
struct JSONWalk {
    private let bytes: [UInt8]
    private var index: Int
    private var depth = 0
    private let maximumDepth: Int
    private let isStreamSafe: Bool

    private var reason = JSONFault.Reason.syntax

    /// - Parameters:
    ///   - start: where a value begins, or white space before it.
    ///   - isStreamSafe: whether strings must be what `String.isStreamSafe` says.
    init(_ bytes: [UInt8], at start: Int = 0, maximumDepth: Int, isStreamSafe: Bool = false) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.isStreamSafe = isStreamSafe
        index = start
    }

    /// Why it went no further, and where.
    var fault: JSONFault { JSONFault(reason, at: index) }

    /// Passes over a whole document. Like all that passes over something, it tells its place, and nil if it is none.
    mutating func document() -> Range<Int>? {
        guard let place = value() else { return nil }
        skipSpace()
        return index == bytes.count ? place : nil
    }

    mutating func value() -> Range<Int>? {
        guard depth < maximumDepth else {
            reason = .depth(maximumDepth)
            return nil
        }
        skipSpace()
        let start = index
        let isValue =
            switch JSONView.Kind(first: peek) {
            case .object: object { walk, _ in walk.value() != nil }
            case .array: array { walk in walk.value() != nil }
            case .string: string() != nil
            case .bool: literal(peek == UInt8(ascii: "t") ? "true" : "false")
            case .null: literal("null")
            case .number: number()
            }
        return isValue ? start..<index : nil
    }

    /// Passes over an object.
    ///
    /// - Parameter visit: is given the place of each name, and passes over the value; false ends the walk.
    mutating func object(_ visit: (inout JSONWalk, _ name: Range<Int>) -> Bool) -> Bool {
        parts(end: UInt8(ascii: "}")) { walk in
            walk.skipSpace()
            guard let name = walk.string() else { return false }
            walk.skipSpace()
            return walk.take(UInt8(ascii: ":")) && visit(&walk, name)
        }
    }

    /// Passes over an array.
    ///
    /// - Parameter visit: passes over each element; false ends the walk.
    mutating func array(_ visit: (inout JSONWalk) -> Bool) -> Bool { parts(end: UInt8(ascii: "]"), visit) }

    private mutating func parts(end: UInt8, _ part: (inout JSONWalk) -> Bool) -> Bool {
        index += 1
        depth += 1
        defer { depth -= 1 }
        skipSpace()
        if take(end) { return true }
        repeat {
            guard part(&self) else { return false }
            skipSpace()
        } while take(UInt8(ascii: ","))
        return take(end)
    }

    private mutating func string() -> Range<Int>? {
        let start = index
        guard take(UInt8(ascii: "\"")) else { return nil }
        var isPlain = true
        while let byte = peek {
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                if isStreamSafe, !isPlain, !text(in: start..<index).isStreamSafe {
                    reason = .marks
                    return nil
                }
                return start..<index
            case 0..<0x20: return nil
            case UInt8(ascii: "\\"):
                guard escape() != nil else { return nil }
                isPlain = false
            case 0x80...: isPlain = false
            default: continue
            }
        }
        return nil
    }

    /// The character that stands escaped after a backslash.
    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = peek else { return nil }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = codeUnit() else { return nil }
            // Half a pair is no character, and many parsers refuse the whole document for it.
            guard UTF16.isSurrogate(unit) else { return Unicode.Scalar(unit) }
            guard UTF16.isLeadSurrogate(unit), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")),
                let trail = codeUnit(), UTF16.isTrailSurrogate(trail)
            else {
                reason = .surrogate
                return nil
            }
            return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
        default: return nil
        }
    }

    private mutating func codeUnit() -> UInt16? {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = peek?.hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }

    /// A number that a double cannot hold is refused, as by many parsers.
    private mutating func number() -> Bool {
        let start = index
        guard numberSyntax() else { return false }
        let text = bytes[start..<index]
        guard text.count > 300 || text.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return true }
        if Double(String(decoding: text, as: UTF8.self))?.isFinite == true { return true }
        reason = .number
        return false
    }

    private mutating func numberSyntax() -> Bool {
        _ = take(UInt8(ascii: "-"))
        guard take(UInt8(ascii: "0")) || digits() else { return false }
        if take(UInt8(ascii: ".")), !digits() { return false }
        guard take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) else { return true }
        if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
        return digits()
    }

    private mutating func digits() -> Bool {
        let start = index
        while peek?.isDigit == true { index += 1 }
        return index > start
    }

    private mutating func literal(_ text: StaticString) -> Bool {
        for byte in text.description.utf8 {
            guard take(byte) else { return false }
        }
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    // MARK: What was passed over, as values; it was checked

    /// - Parameter place: that of a string, quotes included.
    func text(in place: Range<Int>) -> String {
        let inner = place.dropFirst().dropLast()
        guard bytes[inner].contains(UInt8(ascii: "\\")) else { return String(decoding: bytes[inner], as: UTF8.self) }
        var walk = JSONWalk(bytes, at: inner.startIndex, maximumDepth: 0)
        var text: [UInt8] = []
        while walk.index < inner.endIndex {
            let byte = bytes[walk.index]
            walk.index += 1
            if byte == UInt8(ascii: "\\"), let scalar = walk.escape() {
                text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Builds the value that it passes over, in time linear in its length; nil for two members of one name.
    mutating func built() -> JSONValue? {
        skipSpace()
        switch JSONView.Kind(first: peek) {
        case .object:
            var members: [String: JSONValue] = [:]
            let isWhole = object { walk, place in
                let name = walk.text(in: place)
                guard members[name] == nil else {
                    walk.reason = .repeatedMember
                    walk.index = place.upperBound
                    return false
                }
                members[name] = walk.built()
                return members[name] != nil
            }
            return isWhole ? .object(members) : nil
        case .array:
            var elements: [JSONValue] = []
            let isWhole = array { walk in
                guard let element = walk.built() else { return false }
                elements.append(element)
                return true
            }
            return isWhole ? .array(elements) : nil
        default: return value().flatMap { JSONView(bytes, $0).scalar }
        }
    }
}
