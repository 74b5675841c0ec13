/// When the next attempt at an endpoint may begin, whatever there is to send.
struct Pace {
    var rate: RateLimit?
    var brake = Brake()

    /// Nothing begins before this time: an ordered head waits for its retry, or a limit is used up.
    var holdUntil: Int64 = 0

    /// Nothing begins before its end: the machine had no descriptors or memory for the last attempt.
    private var rest = Backoff(pauses: 1000...16_000)

    /// Whether attempts are made one at a time: the endpoint is braked, or they cannot be made.
    var isOneByOne: Bool { brake.isOn || rest.failures > 0 }

    var heldUntil: Int64 { max(holdUntil, rest.retryAt) }

    /// Takes the right to begin one attempt now; otherwise says when to ask again.
    mutating func take(at now: Int64) -> Int64? {
        guard let time = brake.take(at: now) ?? rate?.take(at: now) else { return nil }
        holdUntil = time
        return time
    }

    /// Takes in that an attempt could not be made here.
    ///
    /// - Parameter jitter: chance, -1 to 1: all that could not be made at this moment would be tried together again.
    mutating func rest(at now: Int64, jitter: Double) {
        // Of several that were under way together, the first says it all.
        if rest.retryAt <= now { rest.fail(at: now, jitter: jitter / 4) }
    }

    /// Takes in that an attempt could be made.
    mutating func endRest() { rest.succeed() }
}
