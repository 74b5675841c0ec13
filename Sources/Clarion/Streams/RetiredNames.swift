/// Names of streams that were unregistered, remembered for a day, so that the clients behind them stop reconnecting
/// (204 tells an `EventSource` to give up for good).
struct RetiredNames {
    private static let day = Duration.seconds(24 * 60 * 60)
    /// What is remembered is bounded: beyond it the oldest are forgotten.
    private let maximum: Int

    private var until: [ObserverID: ContinuousClock.Instant] = [:]
    /// In the order of being retired, so that forgetting one takes no search: thousands may be unregistered at once.
    private var queue: [(name: ObserverID, until: ContinuousClock.Instant)] = []
    /// How many of the queue have been forgotten.
    private var forgotten = 0

    init(maximum: Int = 65_536) {
        self.maximum = maximum
    }

    /// How many are remembered.
    var count: Int { until.count }

    mutating func insert(_ name: ObserverID, now: ContinuousClock.Instant) {
        let end = now + Self.day
        until[name] = end
        queue.append((name, end))
        while forgotten < queue.count {
            let oldest = queue[forgotten]
            // One that was retired again stands further back, too.
            let isStale = until[oldest.name] != oldest.until
            guard isStale || oldest.until <= now || until.count > maximum else { break }
            if !isStale { until[oldest.name] = nil }
            forgotten += 1
        }
        guard forgotten > queue.count / 2 else { return }
        queue.removeFirst(forgotten)
        forgotten = 0
    }

    func contains(_ name: ObserverID, now: ContinuousClock.Instant) -> Bool {
        until[name].map { $0 > now } ?? false
    }
}
