/// How long a stream that was told to end is kept for its end to be written, counted from when it was first found not to be.
///
/// One that is read slowly has time to come to its end, but not for ever.
struct EndingGrace {
    /// How long it may take nothing, and how long to end at all, in milliseconds.
    static let stuck = 3_000
    static let slow = 30_000

    private var since: Int?

    /// Whether it is over: the orderly end can never be written.
    ///
    /// - Parameters:
    ///   - lastWrite: when its socket took something last, in milliseconds of the monotonic clock, as is `now`.
    mutating func isOver(lastWrite: Int, now: Int) -> Bool {
        let since = since ?? now
        self.since = since
        return now - max(since, lastWrite) >= Self.stuck || now - since >= Self.slow
    }
}
