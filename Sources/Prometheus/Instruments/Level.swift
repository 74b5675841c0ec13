import CoreMetrics
import Synchronization

/// The value behind a `Meter`, as the bits of a `Double`.
final class Level: MeterHandler {
    private let bits = Atomic<UInt64>(0)

    /// What it was set to last.
    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func increment(by amount: Double) {
        var present = bits.load(ordering: .relaxed)
        while true {
            let (exchanged, original) = bits.weakCompareExchange(
                expected: present,
                desired: (Double(bitPattern: present) + amount).bitPattern,
                ordering: .relaxed
            )
            if exchanged { return }
            present = original
        }
    }

    func decrement(by amount: Double) { increment(by: -amount) }
}
