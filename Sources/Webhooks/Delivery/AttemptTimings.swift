/// How long the stages of an attempt took, each counted from its beginning, in microseconds.
///
/// A stage that was not reached is `nil`; so are `connected` and `secured` on a connection that was kept from an earlier
/// attempt. Source: `CURLINFO_CONNECT_TIME_T(3)` and its kin.
public struct AttemptTimings: Sendable, Hashable {
    /// Until the connection was established, name resolution included.
    public var connected: Int64?

    /// Until TLS was.
    public var secured: Int64?

    /// Until the first byte of the response.
    public var answered: Int64?

    /// Until the end.
    public var total: Int64
}
