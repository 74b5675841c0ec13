import CoreMetrics

/// The value behind a `Counter`.
final class Count: CounterHandler {
    private let cells = ShardedCounts(count: 1)

    /// How much was counted.
    var value: Int64 { cells[0] }

    func increment(by amount: Int64) { cells.add(amount, to: 0) }

    func reset() { cells.add(-value, to: 0) }
}
