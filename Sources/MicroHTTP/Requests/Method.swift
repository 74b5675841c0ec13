/// A request method (RFC 9110 section 9).
public struct Method: Hashable, Sendable, CustomStringConvertible {
    /// The method's token as it stands in the request line; case matters.
    public let description: String

    /// A method of any name.
    public init(_ token: String) {
        description = token
    }

    public static let get = Method("GET")
    public static let head = Method("HEAD")
    public static let post = Method("POST")
    public static let put = Method("PUT")
    public static let patch = Method("PATCH")
    public static let delete = Method("DELETE")
    public static let options = Method("OPTIONS")
}
