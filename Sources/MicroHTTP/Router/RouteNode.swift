/// A node of the trie of routes: one path segment.
struct RouteNode: Sendable {
    private var literals: [String: RouteNode] = [:]
    private var parameter: (name: String, child: [RouteNode])?
    private var endpoint: RouteEndpoint?

    mutating func insert(_ path: some Collection<Substring>, of pattern: RoutePattern, method: Method, route: Route) {
        guard let segment = path.first else {
            var endpoint = endpoint ?? RouteEndpoint(pattern: pattern)
            endpoint.routes[method] = route
            self.endpoint = endpoint
            return
        }
        if segment.hasPrefix("{"), segment.hasSuffix("}") {
            let name = String(segment.dropFirst().dropLast())
            precondition(parameter == nil || parameter?.name == name, "Two names for one path segment: \(name)")
            // An array of one: a struct cannot hold itself.
            var child = parameter?.child[0] ?? RouteNode()
            child.insert(path.dropFirst(), of: pattern, method: method, route: route)
            parameter = (name, [child])
        } else {
            literals[String(segment), default: RouteNode()].insert(
                path.dropFirst(),
                of: pattern,
                method: method,
                route: route
            )
        }
    }

    func find(_ segments: ArraySlice<String>, parameters: inout PathParameters) -> RouteEndpoint? {
        guard let segment = segments.first else { return endpoint }
        if let found = literals[segment]?.find(segments.dropFirst(), parameters: &parameters) { return found }
        guard let parameter else { return nil }
        var extended = parameters
        extended.append(parameter.name, segment)
        guard let found = parameter.child[0].find(segments.dropFirst(), parameters: &extended) else { return nil }
        parameters = extended
        return found
    }
}

/// What one method of a path does.
struct Route: Sendable {
    private let admission: Router.Admission
    private let handler: Router.Handler

    init(parameters: QueryParameters, admission: @escaping Router.Admission, handler: @escaping Router.Handler) {
        self.admission = admission
        self.handler = { request throws(Problem) in
            try parameters.check(request.target.query)
            return try handler(request)
        }
    }

    /// Answers a request that is admitted, unless its query is not one of this route's.
    func respond(to request: Request) throws(Problem) -> Reply {
        try admission(request, handler)
    }
}

/// The routes of one path, by method.
struct RouteEndpoint: Sendable {
    let pattern: RoutePattern
    var routes: [Method: Route] = [:]

    /// The value of `Allow` (RFC 9110 section 10.2.1).
    var allow: String { Self.allow(Set(routes.keys)) }

    /// The value of `Allow` for a path of these methods.
    static func allow(_ routes: Set<Method>) -> String {
        var methods = Set(routes.map(\.description)).union(["OPTIONS"])
        if routes.contains(.get) { methods.insert("HEAD") }
        return methods.sorted().joined(separator: ", ")
    }
}
