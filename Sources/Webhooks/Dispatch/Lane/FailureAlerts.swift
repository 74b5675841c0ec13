/// Decides when the operator is alerted that an endpoint has begun to fail, and that it works again: at the first failure,
/// and for one that fails now and then at most once a minute.
struct FailureAlerts {
    /// What of.
    enum Alert: Hashable, Sendable {
        case beganToFail
        case worksAgain
    }

    /// The least time between two alerts of ``Alert/beganToFail``, in milliseconds.
    static let period: Int64 = 60_000

    /// Whether the last alert was that it fails.
    private var isFailing = false

    /// Before this time there is no alert of a new failure, by the store's time.
    private var quietUntil = Int64.min

    /// Takes in how an attempt ended; returns the alert there is to be.
    mutating func note(hasFailed: Bool, now: Int64) -> Alert? {
        guard hasFailed != isFailing else { return nil }
        if hasFailed {
            guard now >= quietUntil else { return nil }
            quietUntil = now + Self.period
        }
        isFailing = hasFailed
        return hasFailed ? .beganToFail : .worksAgain
    }
}
