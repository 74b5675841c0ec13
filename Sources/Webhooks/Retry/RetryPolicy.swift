import Notation

/// When a failed attempt is repeated. Pure: time and chance are given to it.
public struct RetryPolicy: Sendable, Hashable {
    /// 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h: ten attempts over about three days, the schedule Standard
    /// Webhooks recommends.
    public static let standardSchedule: [Duration] = [
        .seconds(5), .seconds(5 * 60), .seconds(30 * 60), .seconds(2 * 3600), .seconds(5 * 3600),
        .seconds(10 * 3600), .seconds(14 * 3600), .seconds(20 * 3600), .seconds(24 * 3600),
    ]

    /// The longest an endpoint can put off a retry with `Retry-After`.
    public static let longestRetryAfter: Duration = .seconds(24 * 3600)

    /// The delay after the first, second, … failed attempt. One attempt more than there are delays is made.
    public var schedule: [Duration]

    /// How far a delay may deviate, as a fraction: 0.2 is ±20 %. Spreads the retries of deliveries that failed together.
    public var jitter: Double

    /// Creates a policy.
    public init(schedule: [Duration] = Self.standardSchedule, jitter: Double = 0.2) {
        (self.schedule, self.jitter) = (schedule, jitter)
    }

    /// The delay in milliseconds after the attempt with this number, or `nil` if it was the last.
    ///
    /// - Parameters:
    ///   - attempts: attempts made, at least 1.
    ///   - chance: -1 to 1; 0 is the delay as scheduled.
    func delay(after attempts: Int, jitter chance: Double) -> Int64? {
        guard attempts <= schedule.count else { return nil }
        // A delivery redelivered by hand may come with a count below one.
        let scheduled = Double(schedule[max(attempts, 1) - 1].milliseconds)
        return Int64(exactly: (scheduled * (1 + jitter * chance)).rounded()) ?? .max
    }

    /// What an answer means for the delivery; the times are those of ``DeliveryStore``.
    ///
    /// - Parameters:
    ///   - attempts: attempts made, this one included.
    ///   - chance: -1 to 1.
    func result(
        of answer: AttemptAnswer,
        attempts: Int,
        now: Int64,
        timeOfDay: Int64,
        jitter chance: Double
    ) -> AttemptOutcome.Result {
        guard let failure = answer.failure else { return .delivered }
        if failure == .status, answer.status == 410 { return .gone }
        guard var delay = delay(after: attempts, jitter: chance) else { return .dead }
        if let retryAfter = answer.retryAfter, answer.status == 429 || answer.status == 503 {
            delay = max(delay, min(retryAfter.delay(at: timeOfDay), Self.longestRetryAfter.milliseconds))
        }
        return .retry(notBefore: now.addingClamped(delay))
    }
}
