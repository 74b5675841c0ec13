/// One event that is on its way to one observer.
public struct DeliveryRecord: Hashable, Sendable {
    /// Names the delivery while the log is open.
    public let id: Int64

    /// The id of the observer.
    public let observer: String

    /// The event to deliver.
    public let event: Event

    /// How many attempts were made.
    public let attempts: Int

    /// When the next attempt may begin.
    public let notBefore: Timestamp

    /// A record of those parts.
    public init(id: Int64, observer: String, event: Event, attempts: Int, notBefore: Timestamp) {
        self.id = id
        self.observer = observer
        self.event = event
        self.attempts = attempts
        self.notBefore = notBefore
    }
}
