/// How fast a client takes what waits for it, measured from when its socket was first full and anew after each period.
///
/// A client that takes next to nothing may keep memory that others wait for, but not for as long as it likes.
struct ReadingPace {
    /// How long it is measured, in milliseconds.
    static let period = 10_000
    /// What a client takes in a period at least: 16 KiB a second.
    static let leastBytes = 10 * 16 * 1024

    private var since: Int
    private var taken = 0

    /// - Parameter now: in milliseconds of the monotonic clock, as everywhere here.
    init(now: Int) {
        since = now
    }

    mutating func took(_ bytes: Int) {
        taken += bytes
    }

    /// Whether less than ``leastBytes`` was taken in a period, or in a longer time.
    mutating func isTooSlow(now: Int) -> Bool {
        guard now - since >= Self.period else { return false }
        if taken < Self.leastBytes { return true }
        // What it took once is no merit for ever.
        self = ReadingPace(now: now)
        return false
    }
}
