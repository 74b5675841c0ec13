import Notation

/// A request target (RFC 9112 section 3.2) taken apart: the path's segments and the query's parameters, each
/// percent-decoded exactly once, after splitting, so that an encoded `/` stays inside its segment.
public struct Target: Hashable, Sendable {
    /// The decoded path segments: `/topics/a%2Fb/events` has three, and `/` none.
    public let segments: [String]

    /// Whether a slash ends the path, which is no segment of its own: what is a file has none.
    public let endsInSlash: Bool

    /// The query's parameters in their order; a name may come more than once.
    public let query: Query

    /// The host and port that an absolute-form names, as they came. They count in place of `Host` (RFC 9112 section 3.2.2).
    public let authority: String?

    /// Takes a target apart.
    ///
    /// - Parameter text: origin-form (`/path?query`), absolute-form (`http://host/path`), or `*`, which has no segments.
    /// - Throws: `target-invalid` for a malformed escape, bytes that are not UTF-8, a space or a control character that
    ///   is not escaped, too many combining marks in a row, or another form; `parameter-invalid` for such marks in the query.
    public init(_ text: some StringProtocol) throws(Problem) {
        try self.init(bytes: Array(text.utf8))
    }

    /// Takes a target apart as it stood on the wire. Bytes beyond ASCII need not be escaped, since curl does not.
    init(bytes: [UInt8]) throws(Problem) {
        let target = bytes[...]
        // A fragment has no place in a target: it is the client's own (RFC 9112 section 3.2).
        guard target.allSatisfy({ $0.mayStandInTarget && $0 != UInt8(ascii: "#") }),
            let (authority, start) = Self.pathStart(of: target)
        else {
            throw Self.unknownForm
        }
        self.authority = authority
        let path = target[start...].prefix { $0 != UInt8(ascii: "?") }

        var segments: [String] = []
        segments.reserveCapacity(4)
        var rest = path.drop { $0 != UInt8(ascii: "/") }
        while !rest.isEmpty {
            let raw = rest.dropFirst().prefix { $0 != UInt8(ascii: "/") }
            rest = rest[raw.endIndex...]
            guard let segment = PercentDecoding.decode(raw) else {
                throw Problem(
                    .badRequest,
                    code: "target-invalid",
                    detail: "The path is not valid percent-encoded UTF-8."
                )
            }
            guard segment.isQuickToCompare else {
                throw Problem(.badRequest, code: "target-invalid", detail: "The path \(String.marksPredicate).")
            }
            segments.append(segment)
        }
        // The root, and one trailing slash, name no segment of their own.
        endsInSlash = segments.last?.isEmpty == true
        if endsInSlash { segments.removeLast() }
        self.segments = segments
        query = try Query(target[path.endIndex...].dropFirst())
    }

    static var unknownForm: Problem {
        Problem(
            .badRequest,
            code: "target-invalid",
            detail: "The request target is neither a path nor a URL, or it has a fragment."
        )
    }

    /// Where the path begins, and what stands before it; nil if the target has a form that names none.
    private static func pathStart(of target: ArraySlice<UInt8>) -> (authority: String?, start: Int)? {
        if target.first == UInt8(ascii: "/") || target.elementsEqual("*".utf8) { return (nil, target.startIndex) }
        // Absolute-form: proxies send it, and servers must accept it (RFC 9112 section 3.2.2).
        for scheme in ["http://", "https://"] {
            let head = target.prefix(scheme.utf8.count)
            guard head.lazy.map(\.asciiLowercased).elementsEqual(scheme.utf8) else { continue }
            let authority = target[head.endIndex...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            guard Authority.isValid(authority) else { return nil }
            return (String(decoding: authority, as: UTF8.self), authority.endIndex)
        }
        return nil
    }
}

extension UInt8 {
    /// Whether it is neither a blank nor a control character. Bytes beyond ASCII need not be escaped, since curl does not.
    var mayStandInTarget: Bool { self > 0x20 && self != 0x7F }
}
