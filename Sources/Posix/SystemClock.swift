import CPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The clocks of the system (clock_gettime(2)).
package enum SystemClock {
    /// Never steps: for how long something takes.
    case monotonic

    /// The same, late by some four milliseconds, and cheaper to read.
    case coarse

    /// Since 1970 in UTC. Somebody may set it, forward and back.
    case timeOfDay

    /// What it says, in nanoseconds; after the year 2262, which it may be set to, the most there are.
    package var nanoseconds: Int {
        let time = time
        return Int(clamping: Int128(time.tv_sec) * 1_000_000_000 + Int128(time.tv_nsec))
    }

    /// What it says, in whole milliseconds.
    package var milliseconds: Int {
        let time = time
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }

    private var time: timespec {
        var time = timespec()
        // `unsafe`: the structure that is lent is filled; these clocks are always there.
        unsafe clock_gettime(identifier, &time)
        return time
    }

    private var identifier: clockid_t {
        switch self {
        case .monotonic: CLOCK_MONOTONIC
        case .timeOfDay: CLOCK_REALTIME
        #if os(Linux)
            case .coarse: CLOCK_MONOTONIC_COARSE
        #else
            case .coarse: CLOCK_MONOTONIC
        #endif
        }
    }
}
