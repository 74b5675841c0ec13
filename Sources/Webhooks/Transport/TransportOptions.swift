import HTTPTransport
import Notation
import Posix

/// What every transfer has in common.
final class TransportOptions: Sendable {
    let configuration: WebhookConfiguration
    let egressGuard: EgressGuard
    /// How many attempts may be under way, each of which has a connection of its own at most.
    let maxInFlight: Int
    /// How many connections the first thread and that of the others keep, busy ones included: beside all attempts that may be
    /// under way there are so many on each at most.
    let keptConnections: Int
    /// How many each of the other threads keeps.
    let keptBeyondFirst: Int
    /// How many threads make attempts at steady endpoints: one where descriptors are few, or so few attempts may be under way
    /// that no endpoint has more than one thread's. The log records for about three.
    let steadyThreads: Int

    init(_ configuration: WebhookConfiguration, cores: Int = SystemLimits.cores) {
        self.configuration = configuration
        egressGuard = EgressGuard(allowing: configuration.allowEgress)
        // Programs set these; nobody has more descriptors.
        let most = Int(Int32.max)
        let connections = min(max(configuration.maximumConnections, 4), most)
        let wanted = min(max(configuration.maxInFlight, 1), most)
        keptConnections = min(wanted, connections / 4)
        maxInFlight = min(wanted, connections - 2 * keptConnections)
        // Then as many are left as the first keeps.
        let isForMore = connections / 4 >= wanted && wanted / 8 > DeliveryScheduler.Limits.Threads().leastShare
        steadyThreads = isForMore ? min(cores, 3) : 1
        keptBeyondFirst = keptConnections / max(steadyThreads - 1, 1)
    }

    /// A handle with these options, to copy for each attempt. Fails only when libcurl is out of memory.
    func template() -> EasyHandle? {
        guard let easy = EasyHandle() else { return nil }
        let totalTimeout = Self.positive(configuration.totalTimeout)
        easy.judgeAddresses()
        easy.setProxy(configuration.proxy?.url)
        if configuration.proxy?.isSecure != true { easy.yieldBetweenRecords() }
        easy.identify(as: configuration.userAgent, schemes: configuration.httpsOnly ? "https" : "http,https")
        easy.setTimeouts(connect: Self.positive(configuration.connectTimeout), total: totalTimeout)
        easy.setAuthorities(configuration.certificateAuthorities)
        return easy
    }

    /// Milliseconds, at least one: 0 means "no limit" to `CURLOPT_TIMEOUT_MS` and the default to the connect timeout.
    private static func positive(_ duration: Duration) -> Int {
        Int(min(max(duration.milliseconds, 1), Int64(Int32.max)))
    }
}
