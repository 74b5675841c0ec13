/// How an attempt went, and what becomes of the delivery.
public struct DeliveryOutcome: Hashable, Sendable {
    /// What becomes of a delivery after an attempt.
    public enum State: Hashable, Sendable {
        /// It arrived; it will not be attempted again.
        case delivered
        /// It failed, and is attempted again, no earlier than then by ``DeliveryLog/now``.
        case pending(notBefore: Timestamp)
        /// It failed for the last time: a dead letter.
        case dead
    }

    /// The id of the observer.
    public let observer: ObserverID

    /// The event that was on its way to it.
    public let event: Position

    /// How often the delivery had been renewed when the attempt began.
    public let renewals: Int64

    /// What becomes of it.
    public let state: State

    /// The attempt; its number is how many were made by now.
    public let attempt: DeliveryAttempt

    /// How much longer the observer has been failing with it, in milliseconds; without meaning if it arrived.
    public let failing: Int64

    /// An outcome of those parts.
    public init(
        observer: ObserverID,
        event: Position,
        renewals: Int64 = 0,
        state: State,
        attempt: DeliveryAttempt,
        failing: Int64 = 0
    ) {
        (self.observer, self.event, self.renewals) = (observer, event, renewals)
        (self.state, self.attempt, self.failing) = (state, attempt, failing)
    }
}
