import HTTPTransport
import Notation
import Posix

/// A URL that webhooks may be registered for.
///
/// Parsed by libcurl's own parser, so that what was checked here is what the transport dials: two parsers that disagree
/// about a URL are a classic hole. Which *addresses* may be dialled is the ``EgressGuard``'s business, not the URL's.
public struct WebhookURL: Sendable, Hashable, CustomStringConvertible {
    /// The longest URL in bytes.
    public static let maximumLength = 8192

    /// The URL as libcurl writes it back: scheme lowered, path never empty, non-ASCII encoded; host decoded, lowered and
    /// without a dot at its end, no fragment. It is read back as the same URL.
    public let description: String

    /// How often a URL is read until it stays as it is: of what people write, twice, or three times.
    private static let maximumReadings = 4

    /// `http` or `https`.
    public let scheme: String

    /// The host name, or an address literal (IPv6 in brackets).
    public let host: String

    /// The port, 1 to 65535.
    public let port: Int

    /// Parses and checks a URL: scheme `http` or `https`, a host, no user information, no port that browsers block.
    ///
    /// - Parameters:
    ///   - text: an absolute URL of at most 8192 bytes.
    ///   - httpsOnly: whether `http` is refused.
    /// - Throws: ``WebhookError`` with code `url-invalid`.
    public init(_ text: String, httpsOnly: Bool) throws(WebhookError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw Self.invalid("The URL must be at most \(Self.maximumLength) bytes long.")
        }
        // Stricter than libcurl, which would encode blanks and forgive a missing or a third slash.
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "\\") }) else {
            throw Self.invalid("The URL contains blanks, control characters or backslashes.")
        }
        guard let slashes = text.firstRange(of: "://"), !text[slashes.upperBound...].hasPrefix("/") else {
            throw Self.invalid("The URL must be absolute, like https://example.com/hook.")
        }
        var url = try WebhookURL(reading: text)
        // libcurl looks for an address in a host and decodes it only then: `127%2e1` it writes as `127.1`, and dials
        // 127.0.0.1. So what it writes is read again until it stays as it is, and that is what is judged and dialled.
        var readings = 1
        while case let again = try WebhookURL(reading: url.description), again != url {
            guard readings < Self.maximumReadings else { throw Self.invalid("The host is encoded over and over.") }
            url = again
            readings += 1
        }
        self = url
        guard scheme == "https" || !httpsOnly else { throw Self.invalid("Only https URLs are accepted here.") }
        guard !Self.unsafePorts.contains(port) else {
            throw Self.invalid("Port \(port) is reserved for another protocol.")
        }
        guard description.utf8.count <= Self.maximumLength else {
            throw Self.invalid("The URL must be at most \(Self.maximumLength) bytes long, with what is encoded in it.")
        }
        // Who dials for us, a proxy, might read either otherwise than libcurl does.
        guard !host.contains("%") else { throw Self.invalid("The host contains a percent sign.") }
        guard address != nil || !endsInNumber else {
            throw Self.invalid("A host that ends in a number must be an IPv4 address.")
        }
    }

    /// Ports that it may not name, because a service that speaks another protocol listens there and could be tricked by an HTTP
    /// request (cross-protocol attacks).
    ///
    /// Source: "port blocking" in the WHATWG Fetch standard, the list browsers enforce.
    private static let unsafePorts: Set<Int> = [
        0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
        110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530,
        531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190,
        5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    ]

    /// The URL for logs: without the values of its query, which may be credentials. A parameter without `=` is one.
    public var withoutQueryValues: String { description.withoutQueryValues }

    /// The host, with the port unless it is the scheme's (RFC 9110 section 7.2).
    var authority: String { port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)" }

    /// The address, if the host is one.
    var address: IPAddress? {
        IPAddress(host.hasPrefix("[") ? String(host.dropFirst().dropLast().prefix { $0 != "%" }) : host)
    }

    /// Whether the last label is a number, as the URL standard of the WHATWG tells addresses from names: no top-level
    /// domain is one, and a resolver might take it for an address.
    private var endsInNumber: Bool {
        let last = host.split(separator: ".").last ?? ""
        return last.allSatisfy(\.isWholeNumber) || (last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit))
    }

    private static func invalid(_ message: String) -> WebhookError {
        WebhookError(code: .urlInvalid, message: message)
    }

    /// What libcurl reads in a text, and writes back.
    private init(reading text: String) throws(WebhookError) {
        let parsed: URLHandle
        do throws(URLHandle.Fault) {
            parsed = try URLHandle(text)
        } catch {
            throw Self.invalid("The URL cannot be parsed: \(error.reason).")
        }
        guard let scheme = parsed.scheme else { throw Self.invalid("The URL has no scheme.") }
        guard ["http", "https"].contains(scheme) else {
            throw Self.invalid("The scheme must be http or https, not \"\(scheme)\".")
        }
        guard !parsed.hasUserInformation else {
            throw Self.invalid("User information in the URL is refused; set an Authorization header instead.")
        }
        guard let spelled = parsed.host, !spelled.isEmpty else { throw Self.invalid("The URL has no host.") }
        // libcurl's conversion depends on the locale of the process: what was taken today might not be dialled tomorrow.
        // Asked before the lower case is taken, which makes ASCII of a letter that is none: the sign for kelvins.
        guard spelled.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw Self.invalid("Write an international host name in its ASCII form (xn--…).")
        }
        var host = spelled.lowercased()
        // The root's dot, which also hides an address from libcurl's parser.
        if host.hasSuffix(".") { host.removeLast() }
        // RFC 1035 section 2.3.4, in text form. What is in brackets the parser has checked.
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.hasPrefix("[") || (host.utf8.count <= 253 && !labels.contains("")) else {
            throw Self.invalid("A host name has at most 253 bytes, and no empty label.")
        }
        guard let port = parsed.port, (1...65535).contains(port) else {
            throw Self.invalid("The port must be between 1 and 65535.")
        }
        guard let description = parsed.text(host: host) else { throw Self.invalid("The URL cannot be parsed.") }
        (self.description, self.scheme, self.host, self.port) = (description, scheme, host, port)
    }
}
