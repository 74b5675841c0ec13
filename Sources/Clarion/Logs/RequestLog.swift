import Access
import Locking
import Logging
import MicroHTTP

/// A line for each request that was answered: at `debug`, and at `info` for what failed within the hub, of one kind some in
/// each minute. It has the route's pattern, not the target, which may hold a credential or what is nobody's business.
final class RequestLog: Sendable {
    private struct Kind: Hashable {
        let pattern: Int?
        let problem: String?
    }

    private let logger: Logger
    /// Of the router.
    private let patterns: [String]
    private let ration = Lock(LineRation<Kind>())

    /// Statuses from 500 on that a client brings about by what it says, as often as it likes: a version of HTTP, and a count of
    /// hops.
    private static let ofClients: Set<Int> = [505, 508]

    init(logger: Logger, patterns: [String]) { (self.logger, self.patterns) = (logger, patterns) }

    /// Writes a line, on a server thread.
    func note(_ request: ServedRequest) {
        let isFault = request.status.code >= 500 && !Self.ofClients.contains(request.status.code)
        guard isFault, logger.logLevel > .debug else {
            // As a rule none is written: what it says is made only then.
            return logger.log(level: isFault ? .info : .debug, "request", metadata: metadata(of: request))
        }
        // Also "too many" is what a client can have said as often as it likes.
        let kind = Kind(pattern: request.pattern, problem: request.problem)
        guard let leftOut = ration.withLock({ $0.take(kind, at: .now) }) else { return }
        var metadata = metadata(of: request)
        if leftOut > 0 { metadata["leftOut"] = .stringConvertible(leftOut) }
        logger.info("request", metadata: metadata)
    }

    private func metadata(of request: ServedRequest) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "request": .string(request.id),
            "method": .string(RequestMetrics.name(of: request.method)),
            "route": .string(request.pattern.map { patterns[$0] } ?? RequestMetrics.unknown),
            "status": .stringConvertible(request.status.code),
            "duration": .stringConvertible(Double(request.duration) / 1e9),
        ]
        if let code = request.problem { metadata["code"] = .string(code) }
        if let name = (request.identity as? Caller)?.principal?.name { metadata["credential"] = .string(name) }
        return metadata
    }
}
