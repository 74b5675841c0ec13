/// What came back from one attempt, before it is decided what that means.
package struct AttemptAnswer: Sendable, Hashable {
    /// The status of the response, if a complete head arrived.
    package var status: Int?

    /// Why the attempt failed; `nil` for a complete 2xx response.
    package var failure: FailureClass?

    /// One sentence about the failure for the person who reads the attempt; `nil` if it did not fail.
    package var message: String?

    /// The `Retry-After` header of a 429 or 503.
    var retryAfter: RetryAfter?

    /// `WebHook-Allowed-Origin` and `WebHook-Allowed-Rate`, of the answer to a handshake.
    var allowedOrigin: String?
    var allowedRate: String?

    /// The first bytes of the response body, at most 1 KiB by default.
    package var responsePrefix: [UInt8] = []

    /// How long its stages took; `nil` if it was never begun.
    package var timings: AttemptTimings?

    /// How long it took, in milliseconds.
    package var duration: Int64 { (timings?.total ?? 0) / 1000 }
}
