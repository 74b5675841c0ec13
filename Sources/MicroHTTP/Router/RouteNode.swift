/// A node of the trie of routes: one path segment.
struct RouteNode: Sendable {
    private var literals: [String: RouteNode] = [:]
    private var parameter: (name: String, child: [RouteNode])?
    private var endpoint: RouteEndpoint?

    mutating func insert(_ path: some Collection<Substring>, method: Method, handler: @escaping Router.Handler) {
        guard let segment = path.first else {
            var endpoint = endpoint ?? RouteEndpoint()
            endpoint.handlers[method] = handler
            self.endpoint = endpoint
            return
        }
        if segment.hasPrefix("{"), segment.hasSuffix("}") {
            let name = String(segment.dropFirst().dropLast())
            precondition(parameter == nil || parameter?.name == name, "Two names for one path segment: \(name)")
            // An array of one: a struct cannot hold itself.
            var child = parameter?.child[0] ?? RouteNode()
            child.insert(path.dropFirst(), method: method, handler: handler)
            parameter = (name, [child])
        } else {
            literals[String(segment), default: RouteNode()].insert(path.dropFirst(), method: method, handler: handler)
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

/// The handlers of one path, by method.
struct RouteEndpoint: Sendable {
    var handlers: [Method: Router.Handler] = [:]

    /// The value of `Allow` (RFC 9110 section 10.2.1).
    var allow: String {
        var methods = Set(handlers.keys.map(\.description)).union(["OPTIONS"])
        if handlers[.get] != nil { methods.insert("HEAD") }
        return methods.sorted().joined(separator: ", ")
    }
}
