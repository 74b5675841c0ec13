/// One event that is on its way to one observer.
public struct DeliveryRecord: Hashable, Sendable {
    /// The id of the observer.
    public let observer: String

    /// The event to deliver.
    public let event: Event

    /// How often it was renewed by ``DeliveryLog/redeliver(_:to:at:)``. Its outcomes say so.
    public let renewals: Int64

    /// How many attempts were made since.
    public let attempts: Int

    /// When the next attempt may begin, by ``DeliveryLog/now``.
    public let notBefore: Timestamp

    /// A record of those parts.
    public init(observer: String, event: Event, renewals: Int64 = 0, attempts: Int, notBefore: Timestamp) {
        self.observer = observer
        self.event = event
        self.renewals = renewals
        self.attempts = attempts
        self.notBefore = notBefore
    }
}
