/// Decides when the operator is told that an endpoint has begun to fail, and that it works again: at the first failure,
/// and for one that fails now and then at most once a minute.
struct EndpointNews {
    /// What there is to tell.
    enum Item: Hashable, Sendable {
        case beganToFail
        case worksAgain
    }

    /// The least time between two tellings of ``Item/beganToFail``, in milliseconds.
    static let period: Int64 = 60_000

    /// Whether the last that was told is that it fails.
    private var isToldToFail = false

    /// Before this time nothing is told of a new failure, by the store's time.
    private var quietUntil = Int64.min

    /// Notes how an attempt ended; returns what is to be told.
    mutating func note(hasFailed: Bool, now: Int64) -> Item? {
        guard hasFailed != isToldToFail else { return nil }
        if hasFailed {
            guard now >= quietUntil else { return nil }
            quietUntil = now + Self.period
        }
        isToldToFail = hasFailed
        return hasFailed ? .beganToFail : .worksAgain
    }
}
