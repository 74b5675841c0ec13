import CCurl

/// A URL that webhooks may be registered for.
///
/// Parsed by libcurl's own parser, so that what was checked here is what the transport dials: two parsers that disagree
/// about a URL are a classic hole. Which *addresses* may be dialled is the ``EgressGuard``'s business, not the URL's.
public struct WebhookURL: Sendable, Hashable, CustomStringConvertible {
    /// The longest URL in bytes.
    public static let maximumLength = 8192

    /// The URL as libcurl writes it back: scheme lowered, path never empty, non-ASCII encoded; host lowered and without a
    /// dot at its end, no fragment.
    public let description: String

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
            throw Self.invalid("the URL must be at most \(Self.maximumLength) bytes long")
        }
        // Stricter than libcurl, which would encode blanks and forgive a missing or a third slash.
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "\\") }) else {
            throw Self.invalid("the URL contains blanks, control characters or backslashes")
        }
        guard let slashes = text.firstRange(of: "://"), !text[slashes.upperBound...].hasPrefix("/") else {
            throw Self.invalid("the URL must be absolute, like https://example.com/hook")
        }
        var parsed = try ParsedURL(text)
        if let host = parsed.part(CURLUPART_HOST), host.hasSuffix(".") {
            // The root's dot, which also hides an address from libcurl's parser.
            parsed.set(CURLUPART_HOST, to: String(host.dropLast()))
            parsed = try ParsedURL(parsed.part(CURLUPART_URL) ?? "")
        }
        guard let scheme = parsed.part(CURLUPART_SCHEME) else { throw Self.invalid("the URL has no scheme") }
        switch scheme {
        case "https": break
        case "http" where !httpsOnly: break
        case "http": throw Self.invalid("only https URLs are accepted here")
        default: throw Self.invalid("the scheme must be http or https, not '\(scheme)'")
        }
        guard parsed.part(CURLUPART_USER) == nil, parsed.part(CURLUPART_PASSWORD) == nil else {
            throw Self.invalid("user information in the URL is refused; set an Authorization header instead")
        }
        guard let spelled = parsed.part(CURLUPART_HOST), !spelled.isEmpty else {
            throw Self.invalid("the URL has no host")
        }
        // libcurl's conversion depends on the locale of the process: what was taken today might not be dialled tomorrow.
        // Asked before the lower case is taken, which makes ASCII of a letter that is none: the sign for kelvins.
        guard spelled.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw Self.invalid("write an international host name in its ASCII form (xn--…)")
        }
        let host = spelled.lowercased()
        // RFC 1035 section 2.3.4, in text form. What is in brackets the parser has checked.
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.hasPrefix("[") || (host.utf8.count <= 253 && !labels.contains("")) else {
            throw Self.invalid("a host name has at most 253 bytes, and no empty label")
        }
        guard let port = parsed.part(CURLUPART_PORT, flags: UInt32(CURLU_DEFAULT_PORT)).flatMap(Int.init),
            (1...65535).contains(port)
        else {
            throw Self.invalid("the port must be between 1 and 65535")
        }
        guard !UnsafePorts.contains(port) else {
            throw Self.invalid("port \(port) is reserved for another protocol")
        }
        parsed.set(CURLUPART_HOST, to: host)
        parsed.set(CURLUPART_FRAGMENT, to: nil)
        guard let description = parsed.part(CURLUPART_URL) else { throw Self.invalid("the URL cannot be parsed") }
        self.description = description
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// The URL without its query, which may hold a credential: for logs.
    public var withoutQuery: Substring { description.prefix { $0 != "?" } }

    /// The address, if the host is one.
    var address: IPAddress? {
        IPAddress(host.hasPrefix("[") ? String(host.dropFirst().dropLast().prefix { $0 != "%" }) : host)
    }

    fileprivate static func invalid(_ message: String) -> WebhookError {
        WebhookError(code: .urlInvalid, message: message)
    }
}

/// A `CURLU` handle (`libcurl-url(3)`), freed with the value.
///
/// Safe: the pointer is valid from `init` to `deinit` and never leaves the struct.
@safe
private struct ParsedURL: ~Copyable {
    private let handle: OpaquePointer

    init(_ text: String) throws(WebhookError) {
        guard let handle = unsafe curl_url() else { throw WebhookURL.invalid("out of memory") }
        // Any scheme parses, so that a wrong one gets a message of its own.
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
        let code = unsafe curl_url_set(handle, CURLUPART_URL, text, flags)
        guard code == CURLUE_OK else {
            unsafe curl_url_cleanup(handle)
            let reason = unsafe String(cString: curl_url_strerror(code))
            throw WebhookURL.invalid("the URL cannot be parsed: \(reason)")
        }
        unsafe self.handle = handle
    }

    deinit {
        unsafe curl_url_cleanup(handle)
    }

    func part(_ part: CURLUPart, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>? = nil
        guard unsafe curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text = unsafe text else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }

    func set(_ part: CURLUPart, to text: String?) {
        _ = unsafe curl_url_set(handle, part, text, 0)
    }
}
