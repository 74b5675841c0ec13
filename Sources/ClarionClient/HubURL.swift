import Notation

/// Where a hub is: what stands before the paths of its routes.
struct HubURL: Hashable, Sendable {
    /// Without a slash at the end.
    let text: String

    /// Whether it is on this machine, where no proxy leads to.
    let isLoopback: Bool

    /// - Throws: `hub-invalid`. The URL is not repeated there if a password may stand in it.
    init(_ text: String) throws(ClientError) {
        let scheme = text.firstRange(of: "://").map { text[..<$0.lowerBound].lowercased() }
        guard scheme == nil || scheme == "http" || scheme == "https" else {
            throw Self.invalid("A hub's URL begins with http:// or https://.")
        }
        var url = scheme == nil ? "http://\(text)" : text
        while url.hasSuffix("/") { url.removeLast() }
        let rest = url.drop { $0 != ":" }.dropFirst(3)
        let authority = rest.prefix { $0 != "/" }
        guard !authority.contains("@") else {
            throw Self.invalid("A hub's URL has no user name and no password; give a token instead.")
        }
        let isPlain = url.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        guard isPlain, !authority.isEmpty, !authority.hasPrefix(":"), !url.contains("?"), !url.contains("#") else {
            throw Self.invalid("A hub's URL is such as http://127.0.0.1:8080 or https://hub.example/clarion.")
        }
        // Within brackets colons are an address's.
        let end =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) }
            : authority.firstIndex(of: ":") ?? authority.endIndex
        guard let end, Self.isPort(authority[end...]) else {
            throw Self.invalid("A hub's URL has a port from 1 to 65535, after a colon, or none.")
        }
        self.text = url
        let host = authority[..<end]
        isLoopback = host == "localhost" || host == "[::1]" || host.hasPrefix("127.")
    }

    /// What follows the host: nothing, or a colon and a number, which may be left out (RFC 3986 section 3.2.3).
    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        guard text.first == ":", !digits.isEmpty else { return text.isEmpty || text == ":" }
        return UInt16(digits: digits.utf8).map { $0 > 0 } ?? false
    }

    private static func invalid(_ detail: String) -> ClientError {
        ClientError(code: ClientError.hubInvalid, detail: detail)
    }
}
