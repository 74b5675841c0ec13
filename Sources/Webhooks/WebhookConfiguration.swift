import FoundationEssentials
public import Tracing

/// How webhooks are delivered: everything that is the same for all endpoints.
public struct WebhookConfiguration: Sendable {
    /// The longest an attempt may take until its connection is established, name resolution and TLS included.
    public var connectTimeout: Duration = .seconds(5)

    /// The longest an attempt may take altogether.
    public var totalTimeout: Duration = .seconds(15)

    /// When failed attempts are repeated.
    public var retryPolicy: RetryPolicy = RetryPolicy()

    /// Address ranges that may be dialled although they are not public (`--allow-egress`).
    public var allowEgress: [CIDRBlock] = []

    /// Whether the transport refuses `http` (`--webhooks-https-only`), also for endpoints registered earlier.
    public var httpsOnly: Bool = false

    /// The `User-Agent` header, `clarion/<version>`.
    public var userAgent: String

    /// How many attempts may be under way at once over all endpoints: at least 1.
    public var maxInFlight: Int = 1024

    /// How many connections to endpoints there may be, idle ones included, and descriptors for all that attempts need: at
    /// least 4. An attempt at an address counts as one, at a name as three where this is less than four times
    /// ``maxInFlight``, for to look it up takes two more.
    public var maximumConnections: Int = 4096

    /// A response body longer than this many bytes is a failure.
    public var maxResponseLength: Int = 65_536

    /// How many bytes of the response body are kept with the outcome; none if negative.
    public var responsePrefixLength: Int = 1024

    /// A PEM file of certificate authorities to trust instead of the system's, or `nil`.
    public var certificateAuthorities: String?

    /// The domain name in which endpoints are asked for their consent to deliveries.
    public var origin: String = Self.hostName

    /// Where attempts are spans, or `nil`: then each has an id of its own in the trace of its event, and no more.
    public var tracer: (any Tracer)?

    /// The proxy that makes all connections, or `nil` for none; proxies that the environment names are ignored.
    ///
    /// Its own address is dialled wherever it is. Names are resolved by the proxy, so it alone can tell where they lead;
    /// addresses that stand in a URL are judged here all the same.
    public var proxy: EgressProxy?

    /// The defaults of the delivery contract.
    public init(userAgent: String = "clarion") { self.userAgent = userAgent }

    /// The name of this machine, `localhost` if it has none.
    public static let hostName: String = {
        let name = ProcessInfo.processInfo.hostName
        return name.isEmpty ? "localhost" : name
    }()
}
