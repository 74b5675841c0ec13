import Glibc

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
        port = digits.isEmpty ? nil : Int(String(decoding: digits, as: UTF8.self))
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
        var port = 0
        for digit in rest.dropFirst() {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            port = 10 * port + Int(digit - UInt8(ascii: "0"))
            guard port <= 65_535 else { return nil }
        }
        return end
    }

    /// As inet_pton(3) has it.
    private static func isIPv6Address(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard !bytes.contains(0) else { return false }
        var address = in6_addr()
        return unsafe inet_pton(AF_INET6, String(decoding: bytes, as: UTF8.self), &address) == 1
    }

    /// Unreserved characters, sub-delimiters and escapes (RFC 3986 section 3.2.2).
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst(), let low = rest.popFirst(), high.isHexDigit, low.isHexDigit else {
                    return false
                }
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                continue
            default: guard "-._~!$&'()*+,;=".utf8.contains(byte) else { return false }
            }
        }
        return true
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(asciiLowercased)
    }
}
