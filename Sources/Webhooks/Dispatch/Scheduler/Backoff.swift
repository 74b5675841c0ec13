/// For how long the store is left alone after it has failed: 100 ms, doubling up to 5 s.
struct Backoff {
    private(set) var failures = 0
    private(set) var retryAt: Int64 = 0

    mutating func fail(at now: Int64) {
        failures += 1
        retryAt = now + min(100 << Int64(min(failures - 1, 6)), 5000)
    }
}
