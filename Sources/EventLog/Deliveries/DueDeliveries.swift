/// What an observer is to get now, and when there is more.
package struct DueDeliveries: Hashable, Sendable {
    /// Pending deliveries whose time has come: first what is to be tried again, the longest due first, then what was never
    /// tried, in sequence order. As many as were asked for if there may be more.
    package let deliveries: [DeliveryRecord]

    /// When the first is due that is not among these: the moment of the question if they end at the bound on bytes, else of those
    /// whose time has not come; nil if there is none.
    package let next: Timestamp?
}
