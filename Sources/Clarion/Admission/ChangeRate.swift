import Access
import Locking
import MicroHTTP

/// Bounds how often a client changes something (`--rate`): so many times a second, and twice as many at once after a rest.
///
/// A client is a credential; who shows none is an address.
final class ChangeRate: Sendable {
    /// When the client has its whole burst again; nil for one that has it.
    private typealias Bucket = ContinuousClock.Instant?

    /// Whatever the rate, a burst is two seconds of it.
    private static let burst = Duration.seconds(2)

    /// How many clients of each kind are told apart: 10 MB at most.
    private static let capacity = 65_536

    private let perSecond: Int
    private let interval: Duration
    // Apart, so that whoever comes from many addresses leaves room for credentials.
    private let principals = Lock(
        RecentClients<PrincipalID, Bucket>(capacity: ChangeRate.capacity, lifetime: ChangeRate.burst, blank: nil)
    )
    private let addresses = Lock(
        RecentClients<ClientAddress, Bucket>(capacity: ChangeRate.capacity, lifetime: ChangeRate.burst, blank: nil)
    )

    /// - Parameter perSecond: at least 1; more than a million are a million.
    init(perSecond: Int) {
        self.perSecond = min(perSecond, 1_000_000)
        interval = .nanoseconds(1_000_000_000 / self.perSecond)
    }

    /// Counts a request that changes something.
    ///
    /// - Throws: 429 `rate-limited`.
    func take(_ request: Request, by principal: Principal?, at now: ContinuousClock.Instant = .now) throws(Problem) {
        let wait: Duration? =
            if let principal, !principal.isAnonymous {
                principals.withLock { $0.change(principal.id, at: now) { take(from: &$0, at: now) } }
            } else {
                addresses.withLock { $0.change(ClientAddress(request), at: now) { take(from: &$0, at: now) } }
            }
        if let wait { throw problem(wait) }
    }

    /// How many addresses are remembered.
    var addressCount: Int { addresses.withLock { $0.count } }

    /// - Returns: how long to wait for the next change; nil if this one may be made.
    private func take(from bucket: inout Bucket, at now: ContinuousClock.Instant) -> Duration? {
        let next = max(bucket ?? now, now) + interval
        // What the interval was rounded down by must not add a change.
        let excess = next - (now + interval * (2 * perSecond))
        guard excess <= .zero else { return excess }
        bucket = next
        return nil
    }

    /// The fields are those of draft-ietf-httpapi-ratelimit-headers-11: the quota of two seconds, of which nothing is left.
    private func problem(_ wait: Duration) -> Problem {
        let seconds = Int(wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0)
        return Problem(
            .tooManyRequests,
            code: "rate-limited",
            detail: "More than \(perSecond) changes a second were asked for. Wait, and send fewer.",
            headers: [
                ("Retry-After", "\(seconds)"),
                ("RateLimit", "\"changes\";r=0;t=\(seconds)"),
                ("RateLimit-Policy", "\"changes\";q=\(2 * perSecond);w=\(Self.burst.components.seconds)"),
            ]
        )
    }
}
