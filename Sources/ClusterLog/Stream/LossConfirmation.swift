/// Takes the end of the stream for lost only if it is for a while: a server that led, was stopped and goes on answers for the
/// leader until it finds out that it does not lead any more, and may have other messages by then. Pure.
struct LossConfirmation {
    /// For how long it must be lost: servers find out within milliseconds.
    static let gracePeriod = Duration.seconds(2)

    private var since: ContinuousClock.Instant?

    /// Takes in what the end is found to be.
    /// - Returns: whether it is lost for certain.
    mutating func take(_ end: StreamEnd, at now: ContinuousClock.Instant) -> Bool {
        since = end == .isLost ? since ?? now : nil
        return since.map { now - $0 >= Self.gracePeriod } ?? false
    }
}
