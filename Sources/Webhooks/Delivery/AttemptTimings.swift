/// How long the stages of an attempt took, each counted from its beginning, in microseconds.
///
/// A stage that was not reached is `nil`; so are `connected` and `secured` on a connection that was kept from an earlier
/// attempt. Source: `CURLINFO_CONNECT_TIME_T(3)` and its kin.
package struct AttemptTimings: Sendable, Hashable {
    /// Until the connection was established, name resolution included.
    package var connected: Int64?
    /// Until TLS was.
    package var secured: Int64?
    /// Until the first byte of the response.
    package var answered: Int64?
    /// Until the end.
    package var total: Int64
}
