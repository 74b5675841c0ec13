import EventLog
import Locking

/// The tokens that were verified, by hash, so that each is verified once.
///
/// Bounded by what its grants weigh. It has two halves: what is used goes into the younger one, and when that is full it
/// becomes the older one, whose rest is forgotten. So what is in use stays, whatever else comes.
final class TokenCache: Sendable {
    struct Entry: Sendable {
        let principal: Principal
        /// When the token itself is refused, a minute after its end; nil if never.
        let acceptedUntil: Timestamp?

        /// Each about two hundred bytes.
        var weight: Int {
            Right.allCases.reduce(4) { $0 + principal.grant.patterns($1).count }
        }
    }

    /// Grows whenever the cache is emptied: what was verified before does not go into it any more.
    struct Generation: Equatable, Sendable {
        fileprivate var number = 0
    }

    private struct State {
        var generation = Generation()
        var younger: [CredentialHash: Entry] = [:]
        var older: [CredentialHash: Entry] = [:]
        var youngerWeight = 0

        mutating func insert(_ entry: Entry, for hash: CredentialHash, halfWeight: Int) {
            guard younger.updateValue(entry, forKey: hash) == nil else { return }
            youngerWeight += entry.weight
            guard youngerWeight >= halfWeight else { return }
            older = younger
            younger = [:]
            youngerWeight = 0
        }
    }

    /// Half of what the cache may weigh: some ten thousand tokens with few patterns, or fewer with many.
    static let halfWeight = 50_000

    private let halfWeight: Int
    private let state = Lock(State())

    init(halfWeight: Int = TokenCache.halfWeight) {
        self.halfWeight = halfWeight
    }

    /// To be asked before a token is verified, and given back with ``insert(_:for:if:)``.
    var generation: Generation { state.withLock { $0.generation } }

    /// How many tokens it holds.
    var count: Int { state.withLock { $0.younger.count + $0.older.count } }

    /// The principal of a token that was verified and is still accepted.
    func principal(_ hash: CredentialHash, at now: Timestamp) -> Principal? {
        state.withLock { state in
            if let entry = state.younger[hash] { return entry.principal(at: now) }
            guard let entry = state.older.removeValue(forKey: hash), let principal = entry.principal(at: now) else {
                return nil
            }
            state.insert(entry, for: hash, halfWeight: halfWeight)
            return principal
        }
    }

    /// Keeps a verified token, unless the cache was emptied since.
    func insert(_ entry: Entry, for hash: CredentialHash, if generation: Generation) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.insert(entry, for: hash, halfWeight: halfWeight)
        }
    }

    /// Forgets all.
    func empty() {
        state.withLock { state in
            state.generation.number &+= 1
            state.younger = [:]
            state.older = [:]
            state.youngerWeight = 0
        }
    }
}

extension TokenCache.Entry {
    fileprivate func principal(at now: Timestamp) -> Principal? {
        acceptedUntil.map { now < $0 } ?? true ? principal : nil
    }
}
