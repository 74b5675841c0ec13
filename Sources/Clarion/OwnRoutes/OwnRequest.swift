import Access
import MicroHTTP

/// What a client asks of a ``HubRoute``.
public struct OwnRequest: Sendable {
    private let request: Request

    init(_ request: Request) {
        self.request = request
    }

    /// Such as `GET`.
    public var method: String { request.method.description }

    /// The bytes of the body, at most as many as the hub takes.
    public var body: [UInt8] { request.body }

    /// The client's address, behind proxies that are trusted, too.
    public var remoteAddress: String? { request.remoteAddress }

    /// The name of the credential that it shows; nil where the hub knows none.
    public var principal: String? { request.caller.principal?.name }

    /// What a `{name}` of the path matched, decoded; nil if the path has none of that name.
    public subscript(segment: String) -> String? { request.parameters.find(segment) }

    /// The first value of a query parameter, decoded; nil if there is none.
    public func query(_ name: String) -> String? { request.target.query[name] }

    /// The value of a header field; nil if there is none. Case does not matter.
    public func header(_ name: StaticString) -> String? { request.headers[name] }
}
