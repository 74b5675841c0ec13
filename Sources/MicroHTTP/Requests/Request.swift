/// A complete request: its head and its whole body, detached from the connection it came on.
///
/// The body is at most ``ServerConfiguration/maximumBodyBytes`` long: longer ones never reach a handler.
public struct Request: Sendable {
    /// What was received, which all copies of the request share: it is handed through many hands.
    private final class Message: Sendable {
        let method: Method
        let target: Target
        let headers: HeaderFields
        let body: [UInt8]
        let room: BodyRoom?
        let id: String
        let sender: Sender
        let record: RequestRecord

        init(
            _ method: Method,
            _ target: Target,
            _ headers: HeaderFields,
            _ body: [UInt8],
            in room: BodyRoom?,
            _ id: String,
            from sender: Sender,
            _ record: RequestRecord
        ) {
            self.method = method
            self.target = target
            self.headers = headers
            self.body = body
            self.room = room
            self.id = id
            self.sender = sender
            self.record = record
        }
    }

    /// Who sends it, as far as the connection shows it and proxies tell.
    private struct Sender {
        var remoteAddress: String?
        var host: String?
        var scheme: String?
    }

    private let message: Message

    /// What is asked for.
    public var method: Method { message.method }

    // The next two are lent (`_read`), because a copy is several references, and each request is asked for them a dozen times.

    /// Of what: the path and the query, decoded.
    public var target: Target { _read { yield message.target } }

    /// The header fields, in order.
    public var headers: HeaderFields { _read { yield message.headers } }

    /// The body's bytes; empty when there is none.
    public var body: [UInt8] { message.body }

    /// The client's address and port, such as `127.0.0.1:50724` or `[::1]:50724`; nil if the system would not tell.
    ///
    /// It is the peer's, until whoever knows that for a proxy puts the client's in its place: without a port where that is
    /// not known.
    public var remoteAddress: String? { message.sender.remoteAddress }

    /// What the client has asked for as host and port, where that is not what `Host` says: a proxy may have changed it.
    public var forwardedHost: String? { message.sender.host }

    /// The scheme that the client has used, `http` or `https`; nil where it is not known.
    public var forwardedScheme: String? { message.sender.scheme }

    /// The identifier of this request in logs and in the `Request-Id` response field: the client's own if it sent one
    /// of 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : / + = -`, otherwise a new one.
    public var id: String { message.id }

    /// Who sends it, as whoever admits requests has found out; nil if nobody has. All copies of a request share it.
    public var identity: (any AnyObject & Sendable)? {
        get { record.identity }
        nonmutating set { record.identity = newValue }
    }

    var record: RequestRecord { message.record }

    /// What the route's `{name}` segments matched.
    public var parameters = PathParameters()

    init(
        method: Method,
        target: Target,
        headers: HeaderFields,
        body: [UInt8],
        room: BodyRoom? = nil,
        remoteAddress: String? = nil,
        forwardedScheme: String? = nil,
        id: String
    ) {
        let sender = Sender(remoteAddress: remoteAddress, scheme: forwardedScheme)
        message = Message(method, target, headers, body, in: room, id, from: sender, RequestRecord())
    }

    private init(_ message: Message) {
        self.message = message
    }

    /// The request as its client sent it to a proxy.
    ///
    /// - Parameters:
    ///   - address: the client's; nil if the proxy does not tell, and so stands for it.
    ///   - host: see ``forwardedHost``.
    ///   - scheme: see ``forwardedScheme``.
    public func forwarded(for address: String?, host: String?, scheme: String?) -> Request {
        let sender = Sender(remoteAddress: address ?? remoteAddress, host: host, scheme: scheme)
        return Request(Message(method, target, headers, body, in: message.room, id, from: sender, record))
    }

    /// The path segment that a `{name}` of the route matched, parsed.
    ///
    /// - Throws: what the type's ``PathParameter/init(pathSegment:)`` throws.
    /// - Precondition: the route has a segment of that name.
    public func parameter<Value: PathParameter>(_ name: StaticString, as type: Value.Type = Value.self) throws(Problem)
        -> Value
    {
        try Value(pathSegment: parameters[name])
    }
}
