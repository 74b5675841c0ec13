import EventLog
import Locking

/// A time of day that stands still until it is set.
final class WallClock: Sendable {
    private let time = Lock(Timestamp(milliseconds: 1_800_000_000_000))

    var now: Timestamp {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    /// Seconds since 1970.
    var seconds: Int64 { now.milliseconds / 1_000 }

    func advance(milliseconds: Int64) { now = now.advanced(byMilliseconds: milliseconds) }
}
