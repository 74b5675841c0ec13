import EventLog

/// Names of streams that were unregistered, remembered for a day, so that the clients behind them stop reconnecting
/// (204 tells an `EventSource` to give up for good).
struct RetiredNames {
    private static let milliseconds: Int64 = 24 * 60 * 60 * 1000
    /// What is remembered is bounded: beyond it the oldest are forgotten.
    private static let maximum = 65_536

    private var until: [ObserverID: Timestamp] = [:]

    mutating func insert(_ name: ObserverID, now: Timestamp) {
        if until.count >= Self.maximum {
            until = until.filter { $0.value > now }
            while until.count >= Self.maximum, let oldest = until.min(by: { $0.value < $1.value }) {
                until[oldest.key] = nil
            }
        }
        until[name] = now.advanced(byMilliseconds: Self.milliseconds)
    }

    func contains(_ name: ObserverID, now: Timestamp) -> Bool {
        until[name].map { $0 > now } ?? false
    }
}
