/// What one transaction added to the log: what followers are told of.
public struct Commit: Sendable {
    /// The events, in sequence order; at least one.
    public let events: [Event]

    /// The deliveries of these events to durable observers, in sequence order; nil if they are too many to be told of
    /// one by one, and are to be read from the log.
    public let deliveries: [CommittedDelivery]?

    /// How long the transaction took, the wait for the disk included.
    public let duration: Duration

    /// The most deliveries that are told of one by one.
    static let mostDeliveries = 4_096

    init(events: [Event], deliveries: [CommittedDelivery]?, duration: Duration = .zero) {
        self.events = events
        self.deliveries = deliveries
        self.duration = duration
    }
}

/// A delivery that was committed with its event, and is due at once.
public struct CommittedDelivery: Sendable {
    /// Names the delivery while the log is open: ``DeliveryRecord/id``.
    public let id: Int64

    /// The id of the observer.
    public let observer: String

    /// The event to deliver.
    public let event: Position
}
