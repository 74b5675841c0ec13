/// A limit on how many attempts begin per second (the generic cell rate algorithm, ITU-T I.371).
struct RateLimit {
    /// Milliseconds between two attempts at the limit.
    private let interval: Double

    /// The moment the next attempt would begin if all were evenly spaced, by the store's time.
    private var next: Double

    /// How far attempts may run ahead of even spacing, in milliseconds: hides the coarseness of timers, which would
    /// otherwise cap the rate near 1,000.
    private static let tolerance = 100.0

    /// `nil` if there is no limit, which a rate that is not positive means too.
    ///
    /// - Parameter previous: the limit that this one takes the place of: what began under it counts.
    init?(perSecond rate: Double?, after previous: RateLimit? = nil) {
        guard let rate, rate > 0 else { return nil }
        let interval = 1000 / rate
        self.interval = interval
        next = previous.map { $0.next - $0.interval + interval } ?? -.infinity
    }

    /// Takes the right to begin one attempt now; otherwise says when to ask again.
    mutating func take(at now: Int64) -> Int64? {
        let now = Double(now)
        let earliest = next - min(Self.tolerance, interval * 10)
        guard now >= earliest else { return Int64(earliest.rounded(.up)) }
        next = max(next, now) + interval
        return nil
    }
}
