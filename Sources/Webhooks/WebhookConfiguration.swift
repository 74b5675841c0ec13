/// How webhooks are delivered: everything that is the same for all endpoints.
public struct WebhookConfiguration: Sendable {
    /// The longest an attempt may take until its connection is established, name resolution and TLS included.
    public var connectTimeout: Duration

    /// The longest an attempt may take altogether.
    public var totalTimeout: Duration

    /// When failed attempts are repeated.
    public var retryPolicy: RetryPolicy

    /// Address ranges that may be dialled although they are not public (`--allow-egress`).
    public var allowEgress: [CIDRBlock]

    /// Whether the transport refuses `http` (`--webhooks-https-only`), also for endpoints registered earlier.
    public var httpsOnly: Bool

    /// The `User-Agent` header, `clarion/<version>`.
    public var userAgent: String

    /// How many attempts may be under way at once over all endpoints: at least 1.
    public var maxInFlight: Int

    /// A response body longer than this many bytes is a failure.
    public var maxResponseLength: Int

    /// How many bytes of the response body are kept with the outcome.
    public var responsePrefixLength: Int

    /// A PEM file of certificate authorities to trust instead of the system's, or `nil`.
    public var certificateAuthorities: String?

    /// Creates a configuration; the defaults are those of the delivery contract.
    public init(
        connectTimeout: Duration = .seconds(5),
        totalTimeout: Duration = .seconds(15),
        retryPolicy: RetryPolicy = RetryPolicy(),
        allowEgress: [CIDRBlock] = [],
        httpsOnly: Bool = false,
        userAgent: String = "clarion",
        maxInFlight: Int = 1024,
        maxResponseLength: Int = 65_536,
        responsePrefixLength: Int = 1024,
        certificateAuthorities: String? = nil
    ) {
        self.connectTimeout = connectTimeout
        self.totalTimeout = totalTimeout
        self.retryPolicy = retryPolicy
        self.allowEgress = allowEgress
        self.httpsOnly = httpsOnly
        self.userAgent = userAgent
        self.maxInFlight = maxInFlight
        self.maxResponseLength = maxResponseLength
        self.responsePrefixLength = responsePrefixLength
        self.certificateAuthorities = certificateAuthorities
    }
}
