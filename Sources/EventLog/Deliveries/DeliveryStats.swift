/// What became of an observer's deliveries so far.
public struct DeliveryStats: Hashable, Sendable {
    /// Deliveries that arrived.
    public internal(set) var delivered = 0
    /// Attempts that failed.
    public internal(set) var failed = 0
    /// Deliveries that wait for an attempt, the first or another.
    public internal(set) var pending = 0
    /// Deliveries whose attempts ran out, and that are there still: neither delivered anew nor removed.
    public internal(set) var deadLetters = 0
    /// The status of the last attempt's response; nil if it had none, or there was no attempt.
    public internal(set) var lastStatus: Int?
    /// Why the last attempt failed; nil if it did not, or there was none.
    public internal(set) var lastFailure: String?
    /// When the last attempt ended; nil if there was none.
    public internal(set) var lastAttemptAt: Timestamp?
    /// When the first attempt failed after the last that did not; nil if there was none, or
    /// it was reset since.
    public internal(set) var failingSince: Timestamp?
}
