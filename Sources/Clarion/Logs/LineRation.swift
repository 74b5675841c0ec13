/// Decides which lines of a kind are written: so many in each period, so that who brings them about as often as it likes does
/// not bury the others. Pure.
struct LineRation<Kind: Hashable> {
    private struct Period {
        let since: ContinuousClock.Instant
        var written = 1
        var leftOut = 0
    }

    private var periods: [Kind: Period] = [:]

    private static var length: Duration { .seconds(60) }
    private static var most: Int { 10 }

    /// Takes in that there is a line.
    /// - Returns: how many of its kind were left out since the last one; nil if this one is left out, too.
    mutating func take(_ kind: Kind, at now: ContinuousClock.Instant) -> Int? {
        guard var period = periods[kind], now - period.since < Self.length else {
            return periods.updateValue(Period(since: now), forKey: kind)?.leftOut ?? 0
        }
        defer { periods[kind] = period }
        guard period.written < Self.most else {
            period.leftOut += 1
            return nil
        }
        period.written += 1
        return 0
    }
}
