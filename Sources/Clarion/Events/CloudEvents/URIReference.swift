import Notation

/// The characters of URI references (RFC 3986, appendix A). Those beyond ASCII are let pass, as in an IRI (RFC 3987):
/// publishers send them, and nothing here takes a URI apart.
enum URIReference {
    static func isValid(_ text: String) -> Bool {
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard rest.popFirst()?.hexDigitValue != nil, rest.popFirst()?.hexDigitValue != nil else { return false }
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
        return first.isLetter && scheme.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    }
}
