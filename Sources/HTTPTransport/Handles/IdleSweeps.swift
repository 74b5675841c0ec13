/// When libcurl is to look for idle connections that nobody will use again. Times are milliseconds of the monotonic clock.
struct IdleSweeps {
    /// libcurl looks no more often than once a second, ...
    private static let delay = 1_000
    /// ... leaves a connection alone whose transfer has paused, ...
    private static let interval = 30_000
    /// ... and uses none again that was idle for 118 s (`CURLOPT_MAXAGE_CONN(3)`).
    private static let longestIdle = 120_000

    /// When it is to look next; nil if there is nothing to see.
    private(set) var next: Int?
    private var lastServed = 0

    /// A transfer has ended, and may have left a connection.
    mutating func noteService(at now: Int) {
        lastServed = now
        next = next ?? now + Self.longestIdle
    }

    /// Something has come over an idle connection, most likely its end.
    mutating func noteDisturbance(at now: Int) {
        next = min(next ?? .max, now + Self.delay)
    }

    /// Whether it is time.
    ///
    /// - Parameter isDisturbed: whether there are connections over which something has come.
    mutating func take(at now: Int, isDisturbed: Bool) -> Bool {
        guard let time = next, time <= now else { return false }
        let unused = lastServed + Self.longestIdle
        next = unused > now ? unused : nil
        if isDisturbed { next = min(next ?? .max, now + Self.interval) }
        return true
    }
}
