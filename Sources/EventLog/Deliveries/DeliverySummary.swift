/// A delivery without its event's data: what an operator looks at.
public struct DeliverySummary: Hashable, Sendable {
    /// The id of the event.
    public let event: EventID

    /// The topic of the event.
    public let topic: Topic

    /// The type of the event; nil if it has none.
    public let type: String?

    /// What has become of it.
    public let state: DeliveryState

    /// How many attempts were made since it was made, or renewed.
    public let attempts: Int

    /// The status of the last attempt's response; nil if it had none, or there was no attempt.
    public let status: Int?

    /// Why the last attempt failed, or why it became a dead letter without one; nil if it arrived.
    public let failure: String?

    /// When the next attempt may begin; nil if that is at once. Without meaning unless it is pending.
    public let notBefore: Timestamp?

    /// When the last attempt ended; nil if there was none.
    public let attemptedAt: Timestamp?

    /// When it was made: with its event, or later by hand.
    public let createdAt: Timestamp
}
