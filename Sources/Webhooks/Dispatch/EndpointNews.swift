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

    /// Before this time nothing is told of a new failure, in milliseconds since 1970.
    private var quietUntil: Int64 = 0

    /// Notes how an attempt ended; returns what is to be told.
    mutating func note(hasFailed: Bool, now: Int64) -> Item? {
        guard hasFailed != isToldToFail else { return nil }
        if hasFailed {
            // After a clock that was set back it would be quiet for as long again.
            guard now >= quietUntil || quietUntil - now > Self.period else { return nil }
            quietUntil = now + Self.period
        }
        isToldToFail = hasFailed
        return hasFailed ? .beganToFail : .worksAgain
    }
}
