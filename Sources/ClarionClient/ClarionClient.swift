internal import HTTPTransport

/// A client of a Clarion hub.
///
/// ```swift
/// let hub = try ClarionClient("http://127.0.0.1:8080")
/// try await hub.post("hello", to: "greetings")
/// for try await event in hub.events(matching: "orders.**") {
///     print(event.topic, event.text ?? "")
/// }
/// ```
///
/// It has a thread of its own, from the first request until the last copy of the client is gone, and may be used by any
/// number of tasks. It follows no redirects: the token goes to the hub that was named, and nowhere else.
public struct ClarionClient: Sendable {
    /// Where a hub listens unless it was told otherwise.
    public static let defaultHub = "http://127.0.0.1:8080"

    /// How a client behaves.
    public struct Configuration: Sendable {
        /// How long a connection may take to be made; whole seconds, at least one.
        public var connectTimeout: Duration = .seconds(10)

        /// How long the hub may say nothing before a stream is opened anew and a request fails; whole seconds, at least
        /// one. A stream says something every 15 s (`--keep-alive` of the hub). After something has come, silence is noticed
        /// up to seven seconds later than this: libcurl goes by the mean of the last five or so.
        public var silenceLimit: Duration = .seconds(60)

        /// The largest event that a stream may carry, in bytes as they are sent: no more is held of what comes.
        public var maximumEventBytes = 64 << 20

        /// A file in PEM of the authorities by which the hub's certificate is trusted; nil for those that the system trusts.
        public var certificateAuthorities: String?

        /// The usual one.
        public init() {}
    }

    let url: HubURL
    let configuration: Configuration
    private let authorization: [(name: String, value: String)]
    private let http: HTTPClient

    /// A client. Nothing is asked of the hub yet.
    ///
    /// - Parameters:
    ///   - hub: the hub's URL, such as `https://hub.example/clarion`; `http://` may be left out.
    ///   - token: an API key, or a token (JWT); nil for a hub that asks for none.
    ///   - configuration: how it behaves.
    /// - Throws: ``ClientError`` with the code `hub-invalid`, `token-invalid` or `authorities-invalid`.
    public init(
        _ hub: String = Self.defaultHub,
        token: String? = nil,
        configuration: Configuration = Configuration()
    ) throws(ClientError) {
        url = try HubURL(hub)
        self.configuration = configuration
        if let token {
            guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw ClientError(
                    code: ClientError.tokenInvalid,
                    detail: "The token has other characters than tokens have."
                )
            }
            authorization = [("Authorization", "Bearer \(token)")]
        } else {
            authorization = []
        }
        if let fault = configuration.certificateAuthorities.flatMap(AuthoritiesFile.fault) {
            throw ClientError(code: ClientError.authoritiesInvalid, detail: "\(fault).")
        }
        var options = HTTPOptions(userAgent: "clarion-client")
        options.connectTimeout = max(configuration.connectTimeout, .seconds(1))
        options.silenceLimit = max(configuration.silenceLimit, .seconds(1))
        options.certificateAuthorities = configuration.certificateAuthorities
        http = HTTPClient(options)
    }

    /// Sends a request.
    ///
    /// - Returns: the answer, if it is one of success.
    /// - Throws: what the hub says is wrong, or why it says nothing.
    func send(_ call: Call) async throws(ClientError) -> HTTPResponse {
        let refusal: ClientError
        let request = HTTPRequest(
            call.method,
            url.text + call.target,
            headers: call.headers + authorization,
            body: call.body,
            isDirect: url.isLoopback
        )
        do throws(HTTPFailure) {
            let response = try await http.send(request)
            if (200...299).contains(response.head.status) { return response }
            refusal = try await self.refusal(response)
        } catch {
            throw ClientError(error, hub: url)
        }
        throw refusal
    }
}
