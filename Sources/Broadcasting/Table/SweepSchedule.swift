/// When to look for entries whose owner died without telling anyone.
///
/// A sweep is due when there are more than twice as many entries as the last one left. So at least half of the entries
/// that it visits were added since, which makes sweeping cost amortized O(1) per registration; and there are never more
/// than about twice as many entries as were alive at the last sweep.
struct SweepSchedule: Sendable {
    /// Below this many entries nothing is worth sweeping.
    static var minimum: Int { 32 }

    private var threshold = Self.minimum
    private var isRunning = false

    /// Whether the caller has to sweep now; it must call `finish` afterwards. At most one sweep runs at a time.
    mutating func begin(count: Int) -> Bool {
        guard count > threshold, !isRunning else { return false }
        isRunning = true
        return true
    }

    /// Ends a sweep that left `count` entries.
    mutating func finish(count: Int) {
        isRunning = false
        threshold = max(Self.minimum, 2 * count)
    }
}
