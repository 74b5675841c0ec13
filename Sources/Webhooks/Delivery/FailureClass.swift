/// Why an attempt failed, in the words kept with it.
package enum FailureClass: String, Sendable, Hashable, CaseIterable {
    /// The host name could not be resolved.
    case dnsError = "dns-error"
    /// No connection could be established: refused, unreachable.
    case connectionRefused = "connection-refused"
    /// The connection broke before a complete HTTP response, or what came back was not HTTP.
    case connectionReset = "connection-reset"
    /// The connect or the total timeout passed.
    case timeout
    /// The TLS handshake failed, or the certificate was not trusted.
    case tlsError = "tls-error"
    /// The address is not public and not allowed, so it was not dialled.
    case egressBlocked = "egress-blocked"
    /// A complete response with a status other than 2xx.
    case status
    /// The response was longer than allowed.
    case responseTooLarge = "response-too-large"
}
