/// Checks that bytes are one JSON text (RFC 8259) and nothing else, in one pass and without building anything: posted
/// data is embedded into other documents as it is, so it must not be able to break them.
package struct JSONSyntax {
    private let bytes: [UInt8]
    private var index = 0

    private let maximumDepth: Int

    /// What it is if the check fails here.
    private var fault = JSONFault.syntax

    /// Whether the bytes are JSON: see ``fault(in:maximumDepth:)``.
    package static func isValid(_ bytes: [UInt8], maximumDepth: Int = 64) -> Bool {
        fault(in: bytes, maximumDepth: maximumDepth) == nil
    }

    /// The first thing that keeps the bytes from being JSON; nil if they are.
    ///
    /// - Parameter maximumDepth: deeper nesting is not accepted; whoever reads the document has to recurse that deep.
    package static func fault(in bytes: [UInt8], maximumDepth: Int = 64) -> JSONFault? {
        firstFault(in: bytes, maximumDepth: maximumDepth)?.fault
    }

    /// The first fault, as ``fault(in:maximumDepth:)`` finds it, and where it was noticed: at which byte, if it is one.
    static func firstFault(in bytes: [UInt8], maximumDepth: Int) -> (fault: JSONFault, offset: Int?)? {
        var check = JSONSyntax(bytes: bytes, maximumDepth: maximumDepth)
        guard check.document() else { return (check.fault, check.index) }
        return UTF8Check.isValid(bytes) ? nil : (.syntax, nil)
    }

    private init(bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    private mutating func document() -> Bool {
        guard value(depth: 0) else { return false }
        skipSpace()
        return index == bytes.count
    }

    private mutating func value(depth: Int) -> Bool {
        guard depth < maximumDepth else { return fail(.depth(maximumDepth)) }
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return members(end: UInt8(ascii: "}"), depth: depth, isObject: true)
        case UInt8(ascii: "["): return members(end: UInt8(ascii: "]"), depth: depth, isObject: false)
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "t"): return literal("true")
        case UInt8(ascii: "f"): return literal("false")
        case UInt8(ascii: "n"): return literal("null")
        default: return number()
        }
    }

    /// The members of an object or the elements of an array, brackets included.
    private mutating func members(end: UInt8, depth: Int, isObject: Bool) -> Bool {
        index += 1
        skipSpace()
        if take(end) { return true }
        repeat {
            if isObject {
                skipSpace()
                guard string() else { return false }
                skipSpace()
                guard take(UInt8(ascii: ":")) else { return false }
            }
            guard value(depth: depth + 1) else { return false }
            skipSpace()
        } while take(UInt8(ascii: ","))
        return take(end)
    }

    private mutating func string() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        while let byte = peek {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case 0..<0x20: return false
            case UInt8(ascii: "\\"): guard escape() else { return false }
            default: continue
            }
        }
        return false
    }

    private mutating func escape() -> Bool {
        guard let byte = peek else { return false }
        index += 1
        guard byte == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(byte) }
        guard let unit = codeUnit() else { return false }
        // Half a pair is no character, and many parsers refuse the whole document for it.
        if UTF16.isTrailSurrogate(unit) { return fail(.surrogate) }
        guard UTF16.isLeadSurrogate(unit) else { return true }
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let trail = codeUnit(), UTF16.isTrailSurrogate(trail)
        else { return fail(.surrogate) }
        return true
    }

    private mutating func codeUnit() -> UInt16? {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, byte < 0x80, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                return nil
            }
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
        return Double(String(decoding: text, as: UTF8.self))?.isFinite == true || fail(.number)
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
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
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

    /// Ends the check with a fault of its own.
    private mutating func fail(_ fault: JSONFault) -> Bool {
        self.fault = fault
        return false
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }
}
