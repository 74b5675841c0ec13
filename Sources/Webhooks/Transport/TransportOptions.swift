import HTTPTransport
import Notation
import Tracing

/// What every transfer has in common.
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
    /// How many attempts may be under way, each of which has a connection of its own at most.
    let maxInFlight: Int
    /// How many connections each of two threads keeps, busy ones included: beside all attempts that may be under way there
    /// are so many on each at most.
    let keptConnections: Int

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
        let connections = max(configuration.maximumConnections, 4)
        keptConnections = min(configuration.maxInFlight, connections / 4)
        maxInFlight = min(configuration.maxInFlight, connections - 2 * keptConnections)
    }

    /// A handle with these options, to copy for each attempt. Fails only when libcurl is out of memory.
    func template() -> EasyHandle? {
        guard let easy = EasyHandle() else { return nil }
        easy.judgeAddresses(lostAfter: totalTimeout)
        easy.setProxy(proxy?.url)
        easy.identify(as: userAgent, schemes: httpsOnly ? "https" : "http,https")
        easy.setTimeouts(connect: connectTimeout, total: totalTimeout)
        easy.setAuthorities(certificateAuthorities)
        return easy
    }

    /// Milliseconds, at least one: 0 means "no limit" to `CURLOPT_TIMEOUT_MS` and the default to the connect timeout.
    private static func positive(_ duration: Duration) -> Int {
        Int(min(max(duration.milliseconds, 1), Int64(Int32.max)))
    }
}
