import Locking

/// Counts credentials that were not valid, by address, so that nobody guesses for long.
final class FailedLogins: Sendable {
    private struct Record {
        var begun: ContinuousClock.Instant?
        var count = 0
        /// Until when nothing of that address is looked at.
        var lockedUntil: ContinuousClock.Instant?

        func lockSeconds(at now: ContinuousClock.Instant) -> Int? {
            guard let lockedUntil, lockedUntil > now else { return nil }
            return Int((lockedUntil - now).components.seconds) + 1
        }
    }

    /// What is asked for from an address that has failed too often.
    struct Lockout: Equatable {
        /// For how long it is to wait.
        let seconds: Int
        /// Whether the failures may have been another's: then what needs no verifying is looked at.
        let isShared: Bool
    }

    /// How many in a minute are too many.
    static let limit = 20
    private static let period = Duration.seconds(60)

    /// How many addresses are remembered, each for up to two minutes: 10 MB at most.
    private static let capacity = 65_536

    private let records: Lock<RecentClients<ClientAddress, Record>>

    init(capacity: Int = FailedLogins.capacity) {
        records = Lock(RecentClients(capacity: capacity, lifetime: Self.period, blank: Record()))
    }

    /// Whether nobody has failed lately.
    var isBlank: Bool { records.withLock { $0.isBlank } }

    /// Whether an address is to wait; nil if it need not.
    func lock(on address: ClientAddress, at now: ContinuousClock.Instant = .now) -> Lockout? {
        let (record, isShared) = records.withLock { $0.record(of: address) }
        return record.lockSeconds(at: now).map { Lockout(seconds: $0, isShared: isShared) }
    }

    /// Counts one that was looked at.
    ///
    /// - Returns: for how many seconds its address is to wait; nil if it was not one too many. Those that are looked at
    ///   together may be.
    @discardableResult
    func count(_ address: ClientAddress, at now: ContinuousClock.Instant = .now) -> Int? {
        records.withLock { records in
            records.change(address, at: now) { record in
                if let seconds = record.lockSeconds(at: now) { return seconds }
                if record.begun.map({ now - $0 >= Self.period }) ?? true { record = Record(begun: now) }
                record.count += 1
                if record.count >= Self.limit { record.lockedUntil = now + Self.period }
                return nil
            }
        }
    }

    /// How many addresses are remembered.
    var addressCount: Int { records.withLock { $0.count } }
}
