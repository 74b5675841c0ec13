/// Finds the handler of a request by its path and method.
///
/// ```swift
/// var router = Router()
/// router.on(.get, "/topics/{topic}/events", parameters: ["since", "limit"], admission: .everybody) { request throws(Problem) in
///     let topic: Topic = try request.parameter("topic")
///     …
/// }
/// ```
///
/// A path that no route has is answered 404 `route-unknown`; a method that a known path lacks, 405 `method-not-allowed` with
/// `Allow`; a query parameter that the route does not take, 400 `parameter-unknown`; `HEAD` is `GET` without its body;
/// `OPTIONS` tells what is allowed.
public struct Router: Sendable {
    /// Answers one request. It runs on a server thread and must not block: see ``Reply/later(_:)``.
    public typealias Handler = @Sendable (Request) throws(Problem) -> Reply

    /// Decides whether a request gets to its route's handler, and tells the handler who sends it: by
    /// ``Request/identity``. It may take its time with ``Reply/later(_:)`` and call the handler then.
    public typealias Admission = @Sendable (Request, @escaping Handler) throws(Problem) -> Reply

    private var routes = RouteTrie()
    private var fallback: (pattern: RoutePattern, parameters: QueryParameters, handler: Handler)?
    private var preflight: @Sendable (Request, String) -> [(name: String, value: String)] = { _, _ in [] }
    private var checks: [@Sendable (Request) throws(Problem) -> Void] = []

    /// The paths of all routes, each once: what a request is counted under instead of its own.
    public private(set) var patterns: [String] = []

    /// A router without routes.
    public init() {}

    /// Adds a route.
    ///
    /// - Parameters:
    ///   - path: segments separated by `/`; `{name}` matches any one segment, a literal one wins over it.
    ///   - parameters: the query parameters that it takes; others are refused before the handler is asked.
    ///   - admission: decides who may use it. It comes first.
    public mutating func on(
        _ method: Method,
        _ path: String,
        parameters: QueryParameters,
        admission: @escaping Admission,
        _ handler: @escaping Handler
    ) {
        routes.insert(
            path.split(separator: "/"),
            of: pattern(path),
            method: method,
            route: Route(parameters: parameters, admission: admission, handler: handler)
        )
    }

    /// Where `GET` requests go whose path no route has: they are for everybody. The handler throws 404 itself for a path
    /// that it does not know.
    ///
    /// - Parameter path: what such requests are counted under, such as `/{file}`.
    public mutating func otherwise(_ path: String, parameters: QueryParameters, _ handler: @escaping Handler) {
        fallback = (pattern(path), parameters, handler)
    }

    private mutating func pattern(_ path: String) -> RoutePattern {
        let number = patterns.firstIndex(of: path) ?? patterns.count
        if number == patterns.count { patterns.append(path) }
        return RoutePattern(text: path, number: number)
    }

    /// Checks every request before its route is looked for; what the check throws is the answer.
    public mutating func require(_ check: @escaping @Sendable (Request) throws(Problem) -> Void) {
        checks.append(check)
    }

    /// Adds fields to the answers to `OPTIONS`, made of the request and of the methods that its path takes.
    public mutating func answerOptions(
        with fields: @escaping @Sendable (Request, String) -> [(name: String, value: String)]
    ) {
        preflight = fields
    }

    /// Answers a request by its route.
    public func respond(to request: Request) -> Reply {
        var request = request
        // First, so that what the checks refuse is counted under its route, too.
        let endpoint = endpoint(of: &request)
        do {
            for check in checks { try check(request) }
            return try dispatch(request, to: endpoint)
        } catch {
            return .now(error.response(instance: request.id))
        }
    }

    /// What is at the path of a request, which learns what its path is made of.
    func endpoint(of request: inout Request) -> RouteEndpoint? {
        let endpoint = routes.find(request.target.segments, parameters: &request.parameters)
        request.record.pattern = endpoint?.pattern.number
        return endpoint
    }

    func dispatch(_ request: Request, to endpoint: RouteEndpoint?) throws(Problem) -> Reply {
        guard let endpoint else {
            guard let fallback else {
                throw Problem(
                    .notFound,
                    code: "route-unknown",
                    detail: "Nothing is served at this path. `/docs` lists the routes."
                )
            }
            // Before its query is looked at: of a path that is unknown, nothing else matters, whatever the method.
            let reply = try fallback.handler(request)
            request.record.pattern = fallback.pattern.number
            guard request.method == .get || request.method == .head else {
                return try refuse(request, allow: RouteEndpoint.allow([.get]))
            }
            try fallback.parameters.check(request.target.query)
            return reply
        }
        let method = request.method == .head ? .get : request.method
        if let route = endpoint.routes[method] { return try route.respond(to: request) }
        return try refuse(request, allow: endpoint.allow, below: deeper(than: endpoint, for: request))
    }

    /// The one path a segment deeper that takes the method of a request: who posts to a thing means what it holds.
    private func deeper(than endpoint: RouteEndpoint, for request: Request) -> String? {
        let prefix = endpoint.pattern.text + "/"
        let others = patterns.filter { pattern in
            guard pattern.hasPrefix(prefix) else { return false }
            var parameters = PathParameters()
            let found = routes.find(
                request.target.segments + [String(pattern.dropFirst(prefix.count))],
                parameters: &parameters
            )
            return found?.pattern.text == pattern && found?.routes[request.method] != nil
        }
        return others.count == 1 ? others[0] : nil
    }

    /// Answers a method that the path does not take.
    ///
    /// - Parameter below: where it is taken instead.
    private func refuse(_ request: Request, allow: String, below: String? = nil) throws(Problem) -> Reply {
        guard request.method != .options else {
            return .now(Response(.noContent, headers: [("Allow", allow)] + preflight(request, allow)))
        }
        throw Problem(
            .methodNotAllowed,
            code: "method-not-allowed",
            detail: "This path does not take \(request.method). It takes \(allow)."
                + (below.map { " \(request.method) goes to \($0)." } ?? ""),
            headers: [("Allow", allow)]
        )
    }
}
