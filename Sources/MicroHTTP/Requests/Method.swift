/// A request method (RFC 9110 section 9).
public struct Method: Hashable, Sendable, CustomStringConvertible {
    /// The method's token as it stands in the request line; case matters.
    public let description: String

    /// A method of any name.
    public init(_ token: String) {
        description = token
    }

    /// Whether nothing is meant to change by it (RFC 9110 section 9.2.1).
    public var isSafe: Bool { self == .get || self == .head || self == .options }

    /// GET
    public static let get = Method("GET")
    /// HEAD
    public static let head = Method("HEAD")
    /// POST
    public static let post = Method("POST")
    /// PUT
    public static let put = Method("PUT")
    /// PATCH
    public static let patch = Method("PATCH")
    /// DELETE
    public static let delete = Method("DELETE")
    /// OPTIONS
    public static let options = Method("OPTIONS")
}
