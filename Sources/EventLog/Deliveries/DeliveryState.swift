/// What has become of a delivery.
package enum DeliveryState: String, Hashable, Sendable, CaseIterable {
    /// It waits for an attempt, the first or another.
    case pending
    /// It arrived.
    case delivered
    /// Its attempts ran out, or its observer was disabled: a dead letter.
    case dead
}
