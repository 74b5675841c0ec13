/// For how long something is left alone after it has failed: after each failure in a row twice as long as after the one before.
struct Backoff {
    /// The first pause, and the longest, in milliseconds.
    let pauses: ClosedRange<Int64>
    private(set) var failures = 0
    private(set) var retryAt: Int64 = 0

    static let ofStore = Backoff(pauses: 100...5000)

    mutating func fail(at now: Int64, jitter: Double = 0) {
        let pause = min(pauses.lowerBound << Int64(min(failures, 10)), pauses.upperBound)
        retryAt = now + Int64(Double(pause) * (1 + jitter))
        failures += 1
    }

    mutating func succeed() { failures = 0 }
}
