import CoreMetrics

/// The values behind a `Timer` or a `Recorder`: how many were at most as large as each bound, and their sum.
final class Histogram: TimerHandler, RecorderHandler {
    /// In the unit of the metric's name.
    let bounds: [Double]
    /// How many of what is recorded are one of those.
    private let scale: Double
    /// The bounds as they are compared with what is recorded.
    private let limits: [Int64]
    /// One for each bound, one beyond them, and the sum.
    private let cells: ShardedCounts

    /// - Parameter scale: how many of what is recorded are one in the unit of the bounds: a thousand million for
    ///   nanoseconds of a metric of seconds.
    init(bounds: [Double], scale: Double) {
        self.bounds = bounds
        self.scale = scale
        limits = bounds.map { Int64($0 * scale) }
        cells = ShardedCounts(count: bounds.count + 2)
    }

    /// How many were recorded up to each bound, and then how many in all.
    var counts: [Int64] {
        var total: Int64 = 0
        return (0...bounds.count).map { index in
            total += cells[index]
            return total
        }
    }

    /// The sum of what was recorded, in the unit of the bounds.
    var sum: Double { Double(cells[bounds.count + 1]) / scale }

    func recordNanoseconds(_ duration: Int64) { record(duration) }

    func record(_ value: Double) { record(Int64(exactly: value.rounded()) ?? 0) }

    func record(_ value: Int64) {
        var place = 0
        while place < limits.count, value > limits[place] { place += 1 }
        cells.add(1, to: place)
        cells.add(value, to: limits.count + 1)
    }
}
