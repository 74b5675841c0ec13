import Locking

/// Counts credentials that were not valid, by address, so that nobody guesses for long.
final class FailedLogins: Sendable {
    private struct Record {
        var begun: ContinuousClock.Instant
        var count = 0
        /// Until when nothing of that address is looked at.
        var lockedUntil: ContinuousClock.Instant?
    }

    /// How many in a minute are too many.
    static let limit = 20
    private static let period = Duration.seconds(60)

    /// How many addresses are remembered: 10 MB at most.
    private static let capacity = 65_536

    private let records = Lock<[ClientAddress: Record]>([:])

    /// For how long an address is to wait; nil if it need not.
    func secondsToWait(_ address: ClientAddress) -> Int? {
        let until = records.withLock { $0[address]?.lockedUntil }
        guard let until else { return nil }
        let rest = until - .now
        return rest > .zero ? Int(rest.components.seconds) + 1 : nil
    }

    func count(_ address: ClientAddress) {
        let now = ContinuousClock.now
        records.withLock { records in
            if records.count >= Self.capacity, records[address] == nil {
                records = records.filter { now - $0.value.begun < Self.period || ($0.value.lockedUntil ?? now) > now }
                // As many in one minute are an attack from everywhere: what each has to its name is little.
                if records.count >= Self.capacity { records.removeAll(keepingCapacity: true) }
            }
            var record = records[address] ?? Record(begun: now)
            if now - record.begun >= Self.period { record = Record(begun: now) }
            record.count += 1
            if record.count >= Self.limit { record.lockedUntil = now + Self.period }
            records[address] = record
        }
    }
}
