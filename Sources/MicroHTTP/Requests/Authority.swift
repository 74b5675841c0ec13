import Notation
import Posix

/// A host with or without a port, as in the `Host` field and in a URL (RFC 3986 section 3.2), without user information.
package struct Authority: Hashable {
    /// A registered name or an IPv4 address as it came, or an IPv6 address with its brackets.
    package let host: String
    /// 0 to 65,535; nil if none is named.
    package let port: Int?

    package init?(_ text: some StringProtocol) {
        self.init(Array(text.utf8)[...])
    }

    package init?(_ bytes: ArraySlice<UInt8>) {
        guard let end = Self.hostEnd(of: bytes) else { return nil }
        host = String(decoding: bytes[..<end], as: UTF8.self)
        let digits = bytes[end...].dropFirst()
        port = Int(digits: digits)
    }

    /// Whether bytes are one: asked of every request, and without making texts of them.
    static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool { hostEnd(of: bytes) != nil }

    /// Where the host ends, if all of it is an authority.
    private static func hostEnd(of bytes: ArraySlice<UInt8>) -> Int? {
        let end: Int
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")), isIPv6Address(bytes[..<bracket].dropFirst())
            else {
                return nil
            }
            end = bracket + 1
        } else {
            end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            guard end > bytes.startIndex, isName(bytes[..<end]) else { return nil }
        }
        let rest = bytes[end...]
        if rest.isEmpty { return end }
        // An empty port is legal, and none. Any number of digits (RFC 3986 section 3.2.3), so also zeros before the port.
        guard rest.first == UInt8(ascii: ":") else { return nil }
        let port = rest.dropFirst()
        return port.isEmpty || UInt16(digits: port) != nil ? end : nil
    }

    /// As inet_pton(3) has it.
    private static func isIPv6Address(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.contains(0) && IPAddress(String(decoding: bytes, as: UTF8.self))?.family == .v6
    }

    /// Unreserved characters, sub-delimiters and escapes (RFC 3986 section 3.2.2).
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard rest.popFirst()?.hexDigitValue != nil, rest.popFirst()?.hexDigitValue != nil else { return false }
            case _ where byte.isLetter || byte.isDigit: continue
            default: guard "-._~!$&'()*+,;=".utf8.contains(byte) else { return false }
            }
        }
        return true
    }
}
