/// Holds an endpoint back that fails every time: one that refuses at once could otherwise be tried ten thousand times a
/// second, which nobody gains by and everybody pays for. The more failures in a row, the harder; the first success takes
/// it off.
struct Brake {
    /// How many attempts have failed since one did not.
    private(set) var failures = 0

    private var limit: RateLimit?
    private var hasSucceeded = false

    /// So many failures in a row, and the brake is put on;
    private static let failuresToBrake = 16

    /// of an endpoint that never worked, so many while others are answered.
    private static let firstFailuresToBrake = 4

    var isOn: Bool { limit != nil }

    var answersWell: Bool { hasSucceeded && failures == 0 }

    /// Takes in how an attempt ended.
    ///
    /// - Parameters:
    ///   - areOthersAnswered: whether other endpoints have something of it if this one is tried less often.
    ///   - jitter: chance, -1 to 1: endpoints that began to fail together would be tried all at the same moment, and
    ///     whatever else is due then would wait for them.
    mutating func note(hasFailed: Bool, areOthersAnswered: Bool, jitter: Double) {
        guard hasFailed else { return self = Brake(hasSucceeded: true) }
        failures += 1
        let most = hasSucceeded || !areOthersAnswered ? Self.failuresToBrake : Self.firstFailuresToBrake
        guard failures >= most else { return }
        // 100 a second at first, half as many when the failures have doubled, but enough to notice a recovery. While
        // others are answered, enough for that is one.
        let perSecond = areOthersAnswered ? 1 : max(1_600 / Double(failures), 40)
        limit = RateLimit(perSecond: perSecond * (1 + jitter / 4), after: limit)
    }

    mutating func take(at now: Int64) -> Int64? { limit?.take(at: now) }
}
