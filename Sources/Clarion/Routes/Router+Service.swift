import MicroHTTP

extension Router {
    /// `GET /healthz` and `GET /readyz`.
    mutating func addService(_ hub: Hub) {
        on(.get, "/healthz") { _ in .now(.plain("ok\n")) }
        on(.get, "/readyz") { [weak hub] _ throws(Problem) in
            guard let hub, !hub.isDraining else { throw Problem.draining }
            return .now(.plain("ready\n"))
        }
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
