/// A delivery as it is when the outcome of an attempt comes in.
struct AttemptedDelivery {
    let observer: Int64
    let state: Int64
    /// Whether it was made anew since the attempt began.
    let isRenewed: Bool
    let attempts: Int64
    let logged: Int64
    /// What is known of it if it has no row.
    let deferred: DeferredDeliveries.Entry?

    /// One that has a row.
    init(observer: Int64, state: Int64, isRenewed: Bool, attempts: Int64, logged: Int64) {
        self.observer = observer
        self.state = state
        self.isRenewed = isRenewed
        self.attempts = attempts
        self.logged = logged
        deferred = nil
    }

    /// One that has none: nothing happened to it but this attempt.
    init(_ deferred: DeferredDeliveries.Entry) {
        observer = deferred.observer
        state = Schema.untried
        isRenewed = false
        attempts = 0
        logged = 0
        self.deferred = deferred
    }

    /// Whether the attempt is one that the delivery does not know of.
    func counts(_ outcome: DeliveryOutcome) -> Bool {
        isRenewed || Schema.isPending(state) || (state == Schema.dead && outcome.attempt.number > attempts)
    }

    /// Whether the outcome decides what becomes of it: also of one that was given up meanwhile, if it has arrived.
    func settles(_ outcome: DeliveryOutcome) -> Bool {
        !isRenewed && (Schema.isPending(state) || outcome.state == .delivered)
    }
}
