import DequeModule

/// The attempts under way, and what they take of what may be under way at once.
struct Attempts {
    /// Whose an attempt is.
    enum Owner: Equatable {
        case lane(Int)
        /// A single attempt, at that host.
        case probe(host: String)
    }

    struct UnderWay {
        let owner: Owner
        let standing: Standing
        /// What it counts for.
        let weight: Int
        let begunAt: Int64
        var isSlow = false

        /// As what it counts.
        var share: Standing { isSlow ? .slow : standing }
    }

    private(set) var underWay: [UInt64: UnderWay] = [:]
    private(set) var shares: Shares

    /// When one succeeded last, at any endpoint.
    var answeredAt: Int64 = 0

    /// Those that began within the last second, and perhaps some that have ended, the oldest first.
    private(set) var recent: Deque<UInt64> = []

    /// Lookups of names that go on after their attempts have ended, the oldest first.
    private var lookups: Deque<(weight: Int, until: Int64)> = []

    /// For how long a lookup goes on that nobody answers: three servers are asked twice, for five seconds each
    /// (resolv.conf(5)). It cannot be given up, and nobody is told of its end.
    private static let lookupTime: Int64 = 30_000

    /// The bytes that an attempt sends for which it counts as one: it takes twice as many while it is under way.
    private static let bytesPerPlace = 128 << 10

    private let perName: Int
    private var nextToken: UInt64 = 0

    init(_ limits: DeliveryScheduler.Limits) {
        perName = limits.perName
        shares = Shares(total: limits.inFlight)
    }

    /// What is under way, as ``DeliveryScheduler/Limits/perName`` counts it.
    var inFlight: Int { shares.inUse }

    /// Whether another attempt may begin, wherever it goes.
    var hasRoom: Bool { inFlight + perName <= shares.total }

    /// What an attempt counts for while it is under way: for its descriptors, or, if that is more, for its memory.
    func weight(of destination: Destination, sending bytes: Int = 0) -> Int {
        let ofBody = min(bytes / Self.bytesPerPlace, shares.total / 8)
        return max(destination.isAddress ? 1 : perName, ofBody)
    }

    var probedHosts: [String] {
        underWay.values.compactMap { if case .probe(let host) = $0.owner { host } else { nil } }
    }

    func tokens(of lane: Int) -> [UInt64] { underWay.filter { $0.value.owner == .lane(lane) }.map(\.key) }

    mutating func begin(
        _ delivery: DueDelivery,
        to destination: Destination,
        of owner: Owner,
        _ standing: Standing,
        on thread: SendingThread = .others,
        purpose: TransportRequest.Purpose = .delivery,
        now: Int64
    ) -> TransportRequest {
        let request = TransportRequest(
            token: nextToken,
            standing: standing,
            thread: thread,
            destination: destination,
            delivery: delivery,
            purpose: purpose
        )
        nextToken += 1
        let weight = weight(of: destination, sending: delivery.size)
        underWay[request.token] = UnderWay(owner: owner, standing: standing, weight: weight, begunAt: now)
        shares.add(weight, of: standing)
        recent.append(request.token)
        return request
    }

    /// Takes in that an attempt has ended, however it did.
    ///
    /// - Parameter leavesLookup: whether its name is still being looked up. It counts on until that has ended, too: its
    ///   thread and its descriptors are in use.
    mutating func end(_ token: UInt64, leavesLookup: Bool = false) -> UnderWay? {
        guard let attempt = underWay.removeValue(forKey: token) else { return nil }
        shares.add(-attempt.weight, of: attempt.share)
        if leavesLookup {
            shares.add(perName, of: .slow)
            // Not before those that stand here: all wait in order.
            lookups.append((perName, max(attempt.begunAt + Self.lookupTime, lookups.last?.until ?? 0)))
        }
        return attempt
    }

    /// Takes in that lookups have ended by now. Returns whether any have.
    mutating func endLookups(at now: Int64) -> Bool {
        let before = lookups.count
        while let lookup = lookups.first, lookup.until <= now {
            shares.add(-lookup.weight, of: .slow)
            lookups.removeFirst()
        }
        return lookups.count < before
    }

    /// When the next of them ends.
    var nextLookupEnd: Int64 { lookups.first?.until ?? .max }

    /// Counts attempts as slow that have been under way for too long to be prompt; returns their owners.
    mutating func noteSlow(at now: Int64) -> [Owner] {
        var owners: [Owner] = []
        while let token = recent.first {
            if let attempt = underWay[token] {
                guard now - attempt.begunAt >= Trust.promptTime else { break }
                shares.add(-attempt.weight, of: attempt.standing)
                shares.add(attempt.weight, of: .slow)
                underWay[token]?.isSlow = true
                owners.append(attempt.owner)
            }
            recent.removeFirst()
        }
        return owners
    }

    /// When the next attempt is slow.
    var nextSlowAt: Int64 {
        recent.first.flatMap { underWay[$0] }.map { $0.begunAt + Trust.promptTime } ?? .max
    }
}
