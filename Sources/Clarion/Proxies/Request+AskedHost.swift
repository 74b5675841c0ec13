import MicroHTTP

extension Request {
    /// Host and port that the client has asked for: in `Host`, or as a trusted proxy tells. Nil in a request of HTTP/1.0
    /// without them.
    var askedHost: ArraySlice<UInt8>? { forwardedHost.map { Array($0.utf8)[...] } ?? headers.bytes(of: "Host") }
}
