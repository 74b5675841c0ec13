import CCurl  // Its headers may be the first to bring `timespec`: which module that is of depends on the build.
import Glibc

/// The time of day in milliseconds since 1970, injected so that tests decide what time it is.
///
/// Due times are times of day because they are stored and must mean the same after a restart; durations are measured
/// by libcurl's monotonic clock instead.
struct WallClock: Sendable {
    let now: @Sendable () -> Int64

    static let system = WallClock {
        var time = timespec()
        // clock_gettime fills the struct it is given and cannot fail for CLOCK_REALTIME.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// Whole milliseconds, rounded down; saturates far beyond any delay in use.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedClamped(by: 1000).addingClamped(attoseconds / 1_000_000_000_000_000)
    }
}
