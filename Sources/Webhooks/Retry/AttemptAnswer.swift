/// What came back from one attempt, before it is decided what that means.
struct AttemptAnswer: Sendable, Hashable {
    /// The response's status, if a head arrived.
    var status: Int?

    /// Why the attempt failed; `nil` for a complete 2xx response.
    var failure: FailureClass?

    /// A sentence about the failure.
    var message: String?

    /// The `Retry-After` header of a 429 or 503.
    var retryAfter: RetryAfter?

    /// `WebHook-Allowed-Origin` and `WebHook-Allowed-Rate`, of the answer to a handshake.
    var allowedOrigin: String?
    var allowedRate: String?

    /// The first bytes of the body.
    var responsePrefix: [UInt8] = []

    /// How long its stages took; `nil` if it was never begun.
    var timings: AttemptTimings?

    /// How long it took, in milliseconds.
    var duration: Int64 { (timings?.total ?? 0) / 1000 }
}
