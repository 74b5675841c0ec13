/// What became of an observer's deliveries so far.
package struct DeliveryStats: Hashable, Sendable {
    package internal(set) var delivered = 0
    /// Attempts that failed.
    package internal(set) var failed = 0
    /// Deliveries that wait for an attempt, the first or another.
    package internal(set) var pending = 0
    /// Deliveries whose attempts ran out, and that are there still: neither delivered anew nor removed.
    package internal(set) var deadLetters = 0
    /// The status of the last attempt's response, why it failed, and when it ended; nil if there was none.
    package internal(set) var lastStatus: Int?
    package internal(set) var lastFailure: String?
    package internal(set) var lastAttemptAt: Timestamp?
    /// When the first attempt failed after the last that did not; nil if there was none, or it was reset since.
    package internal(set) var failingSince: Timestamp?
}
