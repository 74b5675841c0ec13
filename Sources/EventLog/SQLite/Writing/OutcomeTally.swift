/// What a batch of outcomes adds to the counters of one observer.
struct OutcomeTally {
    private(set) var delivered: Int64 = 0
    private(set) var failed: Int64 = 0
    /// Rows of dead letters, more or fewer.
    private(set) var dead: Int64 = 0
    /// Rows that are pending, more or fewer.
    private(set) var pending: Int64 = 0
    private(set) var lastStatus: Int64?
    private(set) var lastFailure: String?
    private(set) var lastAttemptAt = Int64.min
    /// When the first failed after the last of them that did not.
    private(set) var failingSince: Int64?
    /// For how long they have failed since, in milliseconds.
    private(set) var failingFor: Int64 = 0
    /// How many outcomes it is of.
    private(set) var count = 0

    private static let longest: Int64 = 100 * 366 * 86_400_000

    /// - Parameter before: the row as it was; nil if there was none.
    mutating func add(_ outcome: DeliveryOutcome, before: AttemptedDelivery?) {
        count += 1
        if outcome.state == .delivered {
            delivered += 1
            failingSince = nil
            failingFor = 0
        } else {
            failed += 1
            if failingSince == nil { failingSince = outcome.attempt.at.milliseconds }
            // A century: no sum of what lasts comes near it.
            failingFor = min(failingFor + min(max(outcome.failing, 0), Self.longest), Self.longest)
        }
        if before?.settles(outcome) ?? true {
            if let before { count(before.state, -1) }
            count(outcome.state.number, 1)
        }
        guard outcome.attempt.at.milliseconds >= lastAttemptAt else { return }
        lastAttemptAt = outcome.attempt.at.milliseconds
        lastStatus = outcome.attempt.status.map(Int64.init)
        lastFailure = outcome.attempt.failure
    }

    private mutating func count(_ state: Int64, _ change: Int64) {
        if state == LogSchema.pending { pending += change }
        if state == LogSchema.dead { dead += change }
    }
}

extension DeliveryOutcome.State {
    /// What rows have of it.
    var number: Int64 {
        switch self {
        case .delivered: LogSchema.delivered
        case .pending: LogSchema.pending
        case .dead: LogSchema.dead
        }
    }

    var notBefore: Timestamp? {
        if case .pending(let notBefore) = self { notBefore } else { nil }
    }
}
