/// A response with its whole body in memory.
public struct Response: Sendable {
    /// The status code.
    public var status: Status

    /// Header fields, in order. One that libmicrohttpd does not take is left out: an empty value, a line break in it, a
    /// space in the name, `Content-Length`.
    public var headers: [(name: String, value: String)]

    /// The whole body.
    public var body: [UInt8] {
        get { constant.map { unsafe Array($0.bytes) } ?? own }
        set { (own, constant) = (newValue, nil) }
    }

    private var own: [UInt8]

    /// What is sent in place of bytes of its own.
    private(set) var constant: ConstantBody?

    /// The room in memory that it takes, kept until it was sent or its client is gone.
    public var retained: MemoryHold?

    /// The problem that the body tells of, and its instance.
    var problem: (problem: Problem, instance: String)?

    /// A response of these parts.
    public init(_ status: Status, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        own = body
    }

    /// A response with a body that others have, too.
    public init(_ status: Status, headers: [(name: String, value: String)], constant: ConstantBody) {
        self.init(status, headers: headers)
        self.constant = constant
    }

    /// A response with a JSON document, which ends with a line break, so that a terminal's prompt has a line of its own.
    ///
    /// - Parameters:
    ///   - document: without a line break at its end.
    ///   - mediaType: `application/json`, or one that is JSON too.
    ///   - headers: further fields.
    public init(
        _ status: Status,
        json document: consuming [UInt8],
        mediaType: String = "application/json",
        headers: [(name: String, value: String)] = []
    ) {
        document.append(UInt8(ascii: "\n"))
        var fields: [(name: String, value: String)] = []
        fields.reserveCapacity(headers.count + 1)
        fields.append(("Content-Type", mediaType))
        fields.append(contentsOf: headers)
        self.init(status, headers: fields, body: document)
    }

    /// The same response, whose body is one copy for all to whom it is sent. It counts nowhere, as it is there anyway.
    public var withConstantBody: Response {
        var response = self
        response.constant = ConstantBody(body)
        response.own = []
        return response
    }

    /// Sets a header field, whatever it held before.
    public mutating func setHeader(_ name: String, _ value: String) {
        headers.removeAll { $0.name == name }
        headers.append((name, value))
    }
}

/// What a handler does with a request.
public enum Reply: Sendable {
    /// Answers at once.
    case now(Response)

    /// Whoever holds the ``Responder`` answers, from any thread: before the closure returns, which is cheapest, or later.
    ///
    /// The closure runs on a server thread; it must not wait for others.
    case later(@Sendable (Responder) -> Void)

    /// Sends the head, then detaches: from here frames come through the ``DetachedStream``.
    ///
    /// The server holds the only strong reference to `owner` that the stream needs, and releases it when the stream is over
    /// or its client gone: see `StreamHandover`.
    ///
    /// To a client of HTTP/1.1 the body is chunked (RFC 9112 section 7.1); to one of HTTP/1.0 it ends with the connection.
    case stream(Response, DetachedStream, owner: any AnyObject & Sendable)

    /// Sends the head that a stream would have: the answer to HEAD.
    case headOfStream(Response)
}
