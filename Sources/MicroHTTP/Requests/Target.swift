/// A request target (RFC 9112 section 3.2) taken apart: the path's segments and the query's parameters, each
/// percent-decoded exactly once, after splitting, so that an encoded `/` stays inside its segment.
public struct Target: Hashable, Sendable {
    /// The decoded path segments: `/topics/a%2Fb/events` has three, and `/` none.
    public let segments: [String]

    /// The query's parameters in their order; a name may come more than once.
    public let query: Query

    /// Takes a target apart.
    ///
    /// - Parameter text: origin-form (`/path?query`) or absolute-form (`http://host/path`), as it stood on the wire.
    /// - Throws: `target-invalid` for a malformed escape, bytes that are not UTF-8, a NUL, or no path.
    public init(_ text: some StringProtocol) throws(Problem) {
        var rest = Substring(text)
        if !rest.hasPrefix("/"), rest != "*", let scheme = rest.range(ofASCII: "://") {
            // Absolute-form: proxies send it, and servers must accept it (RFC 9112 section 3.2.2).
            rest = rest[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
        }
        let bytes = Array(rest.utf8)
        let path = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let query = bytes[path.endIndex...].dropFirst().prefix { $0 != UInt8(ascii: "#") }

        var segments: [String] = []
        for raw in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            guard let segment = PercentDecoding.decode(raw) else {
                throw Problem(.badRequest, code: "target-invalid", detail: "The path is not valid percent-encoded UTF-8.")
            }
            segments.append(segment)
        }
        // The root, and one trailing slash, name no segment of their own.
        if segments.last == "" { segments.removeLast() }
        self.segments = segments
        self.query = try Query(query)
    }
}

extension Substring {
    /// The first occurrence of a short ASCII needle.
    fileprivate func range(ofASCII needle: String) -> Range<Index>? {
        var start = startIndex
        while start != endIndex {
            if self[start...].hasPrefix(needle) { return start..<index(start, offsetBy: needle.count) }
            formIndex(after: &start)
        }
        return nil
    }
}
