import MicroHTTP

extension Request {
    /// Host and port that the request itself names: in its target, or in `Host`. Nil in a request of HTTP/1.0 without them.
    var namedHost: ArraySlice<UInt8>? { target.authority.map { Array($0.utf8)[...] } ?? headers.bytes(of: "Host") }

    /// Host and port that the client has asked for: those, unless a trusted proxy tells of others.
    var askedHost: ArraySlice<UInt8>? { forwardedHost.map { Array($0.utf8)[...] } ?? namedHost }
}
