import Access
import Logging
import MicroHTTP

/// A line for each request that was answered: at `debug`, and at `info` for what failed within the hub. It has the route's
/// pattern, not the target, which may hold a credential or what is nobody's business.
struct RequestLog: Sendable {
    let logger: Logger
    /// Of the router.
    let patterns: [String]

    /// Statuses from 500 on that a client brings about by what it says, as often as it likes: a version of HTTP, and a count of
    /// hops.
    private static let ofClients: Set<Int> = [505, 508]

    /// Writes a line, on a server thread.
    func note(_ request: ServedRequest) {
        let isFault = request.status.code >= 500 && !Self.ofClients.contains(request.status.code)
        let level: Logger.Level = isFault ? .info : .debug
        // As a rule none is written: what it says is made only then.
        logger.log(level: level, "request", metadata: metadata(of: request))
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
