/// A delivery as it is when the outcome of an attempt comes in.
struct AttemptedDelivery {
    /// Of its row.
    let id: Int64
    let state: Int64
    /// Whether it was renewed since the attempt began.
    let isRenewed: Bool
    let attempts: Int64
    let logged: Int64

    /// Whether the attempt is one that the delivery does not know of. What could not be recorded for certain is recorded again.
    func counts(_ outcome: DeliveryOutcome) -> Bool {
        isRenewed || state != LogSchema.delivered && outcome.attempt.number > attempts
    }

    /// Whether the outcome decides what becomes of it: also of one that was given up meanwhile, if it has arrived.
    func settles(_ outcome: DeliveryOutcome) -> Bool {
        !isRenewed && (state == LogSchema.pending || outcome.state == .delivered)
    }
}
