import CoreMetrics
import MicroHTTP
import Prometheus

/// Counts answers. Whatever clients ask for, there are only so many series: paths are those of routes, and methods and
/// statuses those that a hub knows; all others are one.
final class RequestMetrics: Sendable {
    /// The label of what no route has, of methods that nobody has heard of, and so on.
    static let unknown = "unknown"

    /// What a method is counted under.
    static func name(of method: Method?) -> String {
        method.flatMap { RouteMetrics.methods.contains($0) ? $0.description : nil } ?? unknown
    }

    private let hub: HubMetrics
    /// By the number of their pattern; the last is of unknown paths.
    private let routes: [RouteMetrics]
    private let refused: [String: Counter]

    /// - Parameter patterns: of the router.
    init(_ hub: HubMetrics, patterns: [String]) {
        self.hub = hub
        routes = (patterns + [Self.unknown]).map { RouteMetrics($0, hub.factory) }
        let codes = DocumentedError.all.map(\.code) + [Self.unknown]
        refused = Dictionary(
            uniqueKeysWithValues: Set(codes).map { code in
                (code, Counter(label: Metric.refused.name, dimensions: [("code", code)], factory: hub.factory))
            }
        )
    }

    /// Counts an answer, on a server thread.
    func count(_ request: ServedRequest) {
        let route = routes[request.pattern ?? routes.count - 1]
        route.count(request)
        if let code = request.problem { (refused[code] ?? refused[Self.unknown])?.increment() }
        guard let posts = route.posts, posts == request.method else { return }
        if request.status.code < 300 {
            hub.postDuration.recordNanoseconds(request.duration)
        } else if let code = request.problem, !PostResult.isConflict(code) {
            // What the log takes is counted when it says so: its client may be gone by the time of the answer.
            // The condition of a post that no event ever meets is one as well.
            hub.posts.count(code == "precondition-failed" ? .conflict : .refused)
        }
    }
}
