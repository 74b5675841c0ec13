import EventLog
import MicroHTTP

extension Routes {
    /// `GET /healthz` and `GET /readyz`.
    mutating func addService(_ hub: Hub) {
        on(.get, "/healthz", .checkHealth, needs: .nothing) { _ in .now(.plain("ok\n")) }
        // Small, and not in turn with others: however many answers are being made, the hub is as ready as it is.
        onAsync(.get, "/readyz", .checkReadiness, needs: .nothing, inTurn: false) { [weak hub] request in
            guard let hub, !hub.isDraining else { throw Problem.draining }
            do throws(EventLogError) {
                try await hub.log.probe()
            } catch {
                let problem = Problem(error, requestID: request.id, faults: hub.faults)
                throw error.code == .missing ? problem : problem.asUnreadiness
            }
            return .plain("ready\n")
        }
    }
}

extension Problem {
    /// Why the hub takes no posts, for who asks before posting.
    fileprivate var asUnreadiness: Problem {
        let isFull = code == EventLogError.Code.storageFull.rawValue
        return Problem(
            .unavailable,
            code: code,
            detail: isFull
                ? "The log's disk is full: posts are refused until there is disk space."
                : "The log takes no posts. The hub's own log has the details.",
            headers: [("Retry-After", "5")]
        )
    }
}

extension Response {
    fileprivate static func plain(_ text: String) -> Response {
        Response(
            .ok,
            headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array(text.utf8)
        )
    }
}
