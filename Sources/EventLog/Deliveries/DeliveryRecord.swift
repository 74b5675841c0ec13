/// One event that is on its way to one observer.
package struct DeliveryRecord: Hashable, Sendable {
    package let observer: ObserverID
    package let event: Event
    /// How often it was renewed by ``DeliveryLog/redeliver(_:to:createdAt:at:)``. Its outcomes say so.
    package var renewals: Int64 = 0
    /// How many attempts were made since.
    package let attempts: Int
    /// When the next attempt may begin, by ``DeliveryLog/now``.
    package let notBefore: Timestamp
}
