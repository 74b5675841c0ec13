/// What is asked of a server.
package struct HTTPRequest: Sendable {
    /// `GET`, `POST` and so on.
    package var method: String

    /// An absolute URL of the scheme `http` or `https`.
    package var url: String

    /// Fields beside those of the connection. Control bytes in values are percent-encoded.
    package var headers: [(name: String, value: String)]

    /// Nil for a request without a body, which is not the same as one with an empty body.
    package var body: [UInt8]?

    /// Whether proxies that the environment names (`http_proxy`, `https_proxy`, `no_proxy`) are passed over.
    package var isDirect: Bool

    /// A request.
    package init(
        _ method: String,
        _ url: String,
        headers: [(name: String, value: String)] = [],
        body: [UInt8]? = nil,
        isDirect: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isDirect = isDirect
    }
}

/// Why there is no answer, or no whole one.
package struct HTTPFailure: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Nothing was heard of a server: no such name, nobody listens, no TLS, no answer in time.
        case unreachable
        /// The server's certificate is not trusted, or there are no authorities to judge it by.
        case untrusted
        /// The connection ended before the answer did.
        case interrupted
        /// More of an answer comes than is taken.
        case tooLong
        /// Nobody wants the answer any more.
        case cancelled
    }

    package let kind: Kind

    /// A sentence about it, without the URL.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
