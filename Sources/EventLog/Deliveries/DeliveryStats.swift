/// What became of an observer's deliveries so far.
public struct DeliveryStats: Hashable, Sendable {
    /// Deliveries that arrived.
    public var delivered: Int
    /// Attempts that failed.
    public var failed: Int
    /// Deliveries that wait for an attempt, the first or another.
    public var pending: Int
    /// Deliveries whose attempts ran out, and that are there still: neither delivered anew nor removed.
    public var deadLetters: Int
    /// The status of the last attempt's response; nil if it had none, or there was no attempt.
    public var lastStatus: Int?
    /// Why the last attempt failed; nil if it did not, or there was none.
    public var lastFailure: String?
    /// When the last attempt ended; nil if there was none.
    public var lastAttemptAt: Timestamp?
    /// When the first attempt failed after the last that did not; nil if there was none, or
    /// it was reset since.
    public var failingSince: Timestamp?

    /// Stats of those parts; nothing happened yet by default.
    public init(
        delivered: Int = 0,
        failed: Int = 0,
        pending: Int = 0,
        deadLetters: Int = 0,
        lastStatus: Int? = nil,
        lastFailure: String? = nil,
        lastAttemptAt: Timestamp? = nil,
        failingSince: Timestamp? = nil
    ) {
        self.delivered = delivered
        self.failed = failed
        self.pending = pending
        self.deadLetters = deadLetters
        self.lastStatus = lastStatus
        self.lastFailure = lastFailure
        self.lastAttemptAt = lastAttemptAt
        self.failingSince = failingSince
    }
}
