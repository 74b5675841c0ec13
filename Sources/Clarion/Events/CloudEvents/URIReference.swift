/// The characters of URI references (RFC 3986, appendix A). Those beyond ASCII are let pass, as in an IRI (RFC 3987):
/// publishers send them, and nothing here takes a URI apart.
enum URIReference {
    static func isValid(_ text: String) -> Bool {
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst(), let low = rest.popFirst(), isHexDigit(high), isHexDigit(low) else {
                    return false
                }
            case 0...0x20, 0x7F: return false
            default: if "<>\"{}|\\^`".utf8.contains(byte) { return false }
            }
        }
        return true
    }

    /// Whether a reference is absolute: whether it begins with a scheme (section 3.1).
    static func hasScheme(_ text: String) -> Bool {
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.endIndex != text.utf8.endIndex, let first = scheme.first else { return false }
        return isLetter(first) && scheme.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
