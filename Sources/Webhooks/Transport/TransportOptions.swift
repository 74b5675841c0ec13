import Notation
import Tracing

/// What every exchange of a transport has in common.
struct TransportOptions: Sendable {
    let connectTimeout: Int
    let totalTimeout: Int
    let httpsOnly: Bool
    let userAgent: String
    let certificateAuthorities: String?
    let proxy: EgressProxy?
    let tracer: (any Tracer)?
    let egressGuard: EgressGuard
    let maxResponseLength: Int
    let responsePrefixLength: Int
    /// How many connections are kept, busy ones included.
    let keptConnections: Int
    /// How many connections there may be.
    let maximumConnections: Int

    init(_ configuration: WebhookConfiguration) {
        connectTimeout = Self.positive(configuration.connectTimeout)
        totalTimeout = Self.positive(configuration.totalTimeout)
        httpsOnly = configuration.httpsOnly
        userAgent = configuration.userAgent
        certificateAuthorities = configuration.certificateAuthorities
        proxy = configuration.proxy
        tracer = configuration.tracer
        egressGuard = EgressGuard(allowing: configuration.allowEgress)
        maxResponseLength = configuration.maxResponseLength
        responsePrefixLength = configuration.responsePrefixLength
        maximumConnections = max(configuration.maximumConnections, 1)
        keptConnections = min(configuration.maxInFlight, maximumConnections)
    }

    /// Milliseconds, at least one: 0 means "no limit" to `CURLOPT_TIMEOUT_MS` and the default to the connect timeout.
    private static func positive(_ duration: Duration) -> Int {
        Int(min(max(duration.milliseconds, 1), Int64(Int32.max)))
    }
}
