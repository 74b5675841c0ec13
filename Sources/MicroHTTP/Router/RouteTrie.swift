/// The trie of routes, its nodes in one array: a path segment leads from one to the next.
struct RouteTrie: Sendable {
    private struct Node {
        var literals: [String: Int] = [:]
        var parameter: (name: String, child: Int)?
        var endpoint: RouteEndpoint?
    }

    /// The root is the first.
    private var nodes = [Node()]

    mutating func insert(_ path: [Substring], of pattern: RoutePattern, method: Method, route: Route) {
        var place = 0
        for segment in path { place = child(of: place, for: segment) }
        nodes[place].endpoint = nodes[place].endpoint ?? RouteEndpoint(pattern: pattern)
        nodes[place].endpoint?.routes[method] = route
    }

    private mutating func child(of place: Int, for segment: Substring) -> Int {
        let isParameter = segment.hasPrefix("{") && segment.hasSuffix("}")
        let name = String(isParameter ? segment.dropFirst().dropLast() : segment)
        let known = isParameter ? nodes[place].parameter?.child : nodes[place].literals[name]
        if isParameter, let other = nodes[place].parameter?.name {
            precondition(other == name, "Two names for one path segment: \(name)")
        }
        if let known { return known }
        nodes.append(Node())
        if isParameter {
            nodes[place].parameter = (name, nodes.count - 1)
        } else {
            nodes[place].literals[name] = nodes.count - 1
        }
        return nodes.count - 1
    }

    func find(_ segments: [String], parameters: inout PathParameters) -> RouteEndpoint? {
        find(segments[...], from: 0, &parameters)
    }

    private func find(_ segments: ArraySlice<String>, from place: Int, _ parameters: inout PathParameters)
        -> RouteEndpoint?
    {
        guard let segment = segments.first else { return nodes[place].endpoint }
        if let next = nodes[place].literals[segment],
            let found = find(segments.dropFirst(), from: next, &parameters)
        {
            return found
        }
        guard let (name, next) = nodes[place].parameter else { return nil }
        var extended = parameters
        extended.append(name, segment)
        guard let found = find(segments.dropFirst(), from: next, &extended) else { return nil }
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
