/// A value that stands in one segment of a path, such as an identifier.
public protocol PathParameter {
    /// Parses a decoded path segment.
    ///
    /// - Throws: the problem to answer with when the segment is not one.
    init(pathSegment: String) throws(Problem)
}

extension String: PathParameter {
    /// Any segment is a string.
    public init(pathSegment: String) throws(Problem) {
        self = pathSegment
    }
}

/// What the named segments of a route matched.
public struct PathParameters: Sendable {
    private var values: [(name: String, segment: String)] = []

    mutating func append(_ name: String, _ segment: String) {
        values.append((name, segment))
    }

    /// The decoded segment that `{name}` matched; nil if the route has no such segment.
    public func find(_ name: String) -> String? {
        values.first { $0.name == name }?.segment
    }

    /// The decoded segment that `{name}` matched.
    ///
    /// - Precondition: the route has such a segment; handlers know their routes.
    subscript(name: StaticString) -> String {
        guard let value = values.first(where: { $0.name == name.description }) else {
            preconditionFailure("The route has no segment {\(name)}.")
        }
        return value.segment
    }
}
