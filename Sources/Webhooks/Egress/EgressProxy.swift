import Notation

/// A proxy that webhooks are delivered through (`--egress-proxy`): `http` or `https`, which makes tunnels for `https`
/// URLs and passes requests for `http` ones on, or `socks5h`. Its URL may have a user and a password.
public struct EgressProxy: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The URL as given. May hold credentials: not for logs.
    let url: String

    /// The URL without user and password.
    public let description: String

    /// Whether it is spoken to over TLS.
    var isSecure: Bool { url.prefix(6).asciiLowercased == "https:" }

    /// Checks a URL.
    ///
    /// - Throws: ``WebhookError`` with code `proxy-invalid`; the message does not repeat the URL.
    public init(_ text: String) throws(WebhookError) {
        guard let separator = text.firstRange(of: "://"),
            ["http", "https", "socks5h"].contains(text[..<separator.lowerBound].asciiLowercased)
        else { throw Self.invalid }
        // The rest is parsed like the address of a web server; libcurl's parser knows no socks.
        let rest = text[separator.upperBound...]
        let host = rest.split(separator: "@", omittingEmptySubsequences: false).last ?? rest
        guard (try? WebhookURL("http://\(host)", httpsOnly: false)) != nil,
            !rest.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7f })
        else { throw Self.invalid }
        url = text
        description = "\(text[..<separator.upperBound])\(host)"
    }

    private static let invalid = WebhookError(
        code: .proxyInvalid,
        message: "a proxy is http://host:port, https://host:port or socks5h://host:port"
    )

    /// No children, so that `dump` reveals no password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
