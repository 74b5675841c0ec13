/// What is remembered of a delivery that the store has pending and that is ours.
struct TrackedDelivery {
    /// How often it had been made anew when it was read.
    private(set) var renewals: Int64 = 0

    /// Whether it is queued or in flight.
    var isActive = false

    /// How many of its outcomes are not recorded yet.
    var unrecorded = 0

    /// Whether there is nothing more to remember.
    var isSettled: Bool { !isActive && unrecorded == 0 }

    mutating func activate(_ delivery: Delivery) {
        renewals = delivery.renewals
        isActive = true
    }
}
