import CCurl  // Its headers may be the first to bring `timespec`: which module that is of depends on the build.
import Glibc

/// The two clocks of the dispatcher, injected so that tests decide what time it is.
///
/// What lasts or falls due goes by ``now``, which does not step. The time of day is for others to read: it is in requests
/// and outcomes, and what others name by it, as a date in `Retry-After`, is turned into a duration at once.
struct Clocks: Sendable {
    /// The store's time, in milliseconds.
    let now: @Sendable () -> Int64

    /// The time of day, in milliseconds since 1970. It may step, forward and back.
    let timeOfDay: @Sendable () -> Int64

    /// Those of a store and of this machine.
    init(
        of store: any DeliveryStore,
        timeOfDay: @escaping @Sendable () -> Int64 = { Self.milliseconds(CLOCK_REALTIME) }
    ) {
        now = { store.now }
        self.timeOfDay = timeOfDay
    }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // clock_gettime fills the struct it is given and cannot fail for CLOCK_REALTIME.
        unsafe clock_gettime(clock, &time)
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
