/// A delivery without its event's data: what an operator looks at.
package struct DeliverySummary: Hashable, Sendable {
    package let event: EventID
    package let topic: Topic
    /// The type of the event; nil if it has none.
    package let type: String?
    package let state: DeliveryState
    /// How many attempts were made since it was made, or renewed.
    package let attempts: Int
    /// The status of the last attempt's response; nil if it had none, or there was no attempt.
    package let status: Int?
    /// Why the last attempt failed, or why it became a dead letter without one; nil if it arrived.
    package let failure: String?
    /// When the next attempt may begin; nil if that is at once. Without meaning unless it is pending.
    package let notBefore: Timestamp?
    /// When the last attempt ended; nil if there was none.
    package let attemptedAt: Timestamp?
    /// When it was made: with its event, or later by hand.
    package let createdAt: Timestamp
}
