import MicroHTTP
import Notation

/// A name, or an address, that a request may be meant for: what `Host` has before the port.
///
/// ```swift
/// configuration.allowedHosts = [try HostName("hub.example.com")]
/// ```
public struct HostName: Hashable, Sendable {
    /// In lower case; an IPv6 address has its brackets.
    public let text: String

    /// A name that is written out, without a port: it holds for all. There are no wildcards: no request is meant for `*`.
    ///
    /// - Throws: ``HubError`` with code `host-invalid`.
    public init(_ text: String) throws(HubError) {
        guard let authority = Authority(text), authority.host == text, !text.contains("*") else {
            throw HubError(
                code: HubError.hostInvalid,
                message: "\"\(text)\" is no host such as hub.example.com, 10.0.0.7 or [fd00::1], without a port"
            )
        }
        self.text = authority.host.lowercased()
    }

    /// Whether only this machine has a host: `localhost`, an address of 127/8 (RFC 1122 section 3.2.1.3), or `::1` (RFC
    /// 4291 section 2.5.3), with its brackets or without.
    public static func isLoopback(_ host: String) -> Bool { isLoopback(host.utf8) }

    /// The same, without making a string: this is asked of every request.
    static func isLoopback(_ host: some Collection<UInt8>) -> Bool {
        isLoopbackIPv4(host) || host.isEqual(to: "localhost") || host.isEqual(to: "[::1]") || host.isEqual(to: "::1")
    }

    private static func isLoopbackIPv4(_ host: some Collection<UInt8>) -> Bool {
        var (octet, digits, dots) = (0, 0, 0)
        for byte in host {
            switch byte {
            case _ where byte.isDigit:
                octet = 10 * octet + Int(byte - UInt8(ascii: "0"))
                digits += 1
                guard digits <= 3, octet <= 255 else { return false }
            case UInt8(ascii: "."):
                guard digits > 0, dots > 0 || octet == 127 else { return false }
                (octet, digits, dots) = (0, 0, dots + 1)
            default: return false
            }
        }
        return dots == 3 && digits > 0
    }
}
