/// One event that is on its way to one observer.
public struct DeliveryRecord: Hashable, Sendable {
    /// The id of the observer.
    public let observer: ObserverID

    /// The event to deliver.
    public let event: Event

    /// How often it was renewed by ``DeliveryLog/redeliver(_:to:at:)``. Its outcomes say so.
    public internal(set) var renewals: Int64 = 0

    /// How many attempts were made since.
    public let attempts: Int

    /// When the next attempt may begin, by ``DeliveryLog/now``.
    public let notBefore: Timestamp
}
