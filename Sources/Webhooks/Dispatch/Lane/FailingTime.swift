/// How long an endpoint has been failing, as far as it was tried: what "failing for five days" is counted in.
///
/// The time of an attempt counts, and the time for which a retry waits that is due then; the same time counts once, however
/// many deliveries it was of. What lies between has no part in it: no deliveries, a webhook that was paused, with the
/// attempts that were under way then, a hub or a machine that did not run.
struct FailingTime {
    /// Up to when everything is counted; nil while nothing has begun.
    private var countedUntil: Int64?

    /// Until when the last of the retries waits that are known of.
    private var waitsUntil = Int64.min

    /// How much later than it is due an attempt may come and still count as waited for, in milliseconds: for its turn, or
    /// for the brake.
    private static let lateness: Int64 = 60_000

    mutating func begin(at now: Int64) {
        if countedUntil == nil { countedUntil = now }
    }

    /// It has succeeded: what failed beside that begins again with it.
    mutating func succeed(at now: Int64) { self = FailingTime(countedUntil: now) }

    /// An attempt has failed.
    ///
    /// - Parameters:
    ///   - due: when it was due, if it was a retry.
    ///   - duration: how long it took, in milliseconds.
    ///   - retry: when the next is due, if there is one.
    /// - Returns: how much longer the endpoint has been failing, in milliseconds.
    mutating func fail(due: Int64?, duration: Int64, retry: Int64?, at now: Int64) -> Int64 {
        // It had begun before a pause, and since then nothing has.
        guard let countedUntil else { return 0 }
        let start = min(countedUntil, now)
        let waited = max(waitsUntil, due ?? .min)
        let covered = max(min(waited, now - Self.lateness) + Self.lateness, start)
        self.countedUntil = now
        waitsUntil = max(waitsUntil, retry ?? .min)
        return covered - start + min(max(duration, 0), now - covered)
    }
}
