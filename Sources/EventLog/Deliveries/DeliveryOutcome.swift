/// How an attempt went, and what becomes of the delivery.
public struct DeliveryOutcome: Hashable, Sendable {
    /// What becomes of a delivery after an attempt.
    public enum State: Hashable, Sendable {
        /// It arrived; it will not be attempted again.
        case delivered
        /// It failed, and is attempted again, no earlier than then.
        case pending(notBefore: Timestamp)
        /// It failed for the last time: a dead letter.
        case dead
    }

    /// The delivery's id.
    public let delivery: Int64

    /// How many attempts were made by now, this one among them.
    public let attempts: Int

    /// What becomes of it.
    public let state: State

    /// The status of the HTTP response; nil if there was none.
    public let status: Int?

    /// The class of the failure, such as `timeout`; nil if it arrived.
    public let failure: String?

    /// A sentence about the failure; nil if it arrived.
    public let message: String?

    /// The first bytes of the response's body.
    public let response: [UInt8]

    /// How long the attempt took, in milliseconds.
    public let duration: Int64

    /// When the attempt ended.
    public let at: Timestamp

    /// An outcome of those parts.
    public init(
        delivery: Int64,
        attempts: Int,
        state: State,
        status: Int? = nil,
        failure: String? = nil,
        message: String? = nil,
        response: [UInt8] = [],
        duration: Int64 = 0,
        at: Timestamp
    ) {
        self.delivery = delivery
        self.attempts = attempts
        self.state = state
        self.status = status
        self.failure = failure
        self.message = message
        self.response = response
        self.duration = duration
        self.at = at
    }
}
