import Access
import DequeModule

/// Names of streams that were unregistered, remembered for a day, so that the clients behind them stop reconnecting
/// (204 tells an `EventSource` to give up for good). They are out of use for whoever had them: others are told nothing of it.
struct RetiredNames {
    /// A name, and who had it.
    struct Key: Hashable, Sendable {
        let name: ObserverID
        /// ``PrincipalID/digest``; nil where the hub knows no credentials.
        let owner: String?
    }

    private static let day = Duration.seconds(24 * 60 * 60)
    /// What is remembered is bounded: beyond it the oldest are forgotten.
    private let maximum: Int

    private var until: [Key: ContinuousClock.Instant] = [:]
    /// In the order of being retired, so that forgetting one takes no search: thousands may be unregistered at once.
    private var queue: Deque<(key: Key, until: ContinuousClock.Instant)> = []

    init(maximum: Int = 65_536) {
        self.maximum = maximum
    }

    /// How many are remembered.
    var count: Int { until.count }

    mutating func insert(_ key: Key, now: ContinuousClock.Instant) {
        let end = now + Self.day
        until[key] = end
        queue.append((key, end))
        while let oldest = queue.first {
            // One that was retired again stands further back, too.
            let isStale = until[oldest.key] != oldest.until
            guard isStale || oldest.until <= now || until.count > maximum else { break }
            if !isStale { until[oldest.key] = nil }
            queue.removeFirst()
        }
    }

    func contains(_ key: Key, now: ContinuousClock.Instant) -> Bool {
        until[key].map { $0 > now } ?? false
    }
}

extension Caller {
    /// A name as theirs.
    func key(of name: ObserverID) -> RetiredNames.Key { RetiredNames.Key(name: name, owner: principal?.id.digest) }
}
