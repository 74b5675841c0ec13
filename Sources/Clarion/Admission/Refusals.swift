import Locking

/// How often something was refused because a client had its share, since the hub was started: for metrics.
///
/// What the log refuses because it is full is in ``EventLog/LogUsage``.
final class Refusals: Sendable {
    enum Reason: String, CaseIterable, Sendable {
        /// A stream too many of one client.
        case streams
        /// A change too many.
        case rate
        /// A credential shown from an address with too many that were not valid.
        case logins
        /// An event that goes in a circle.
        case hops
    }

    private let counts = Lock<[Reason: Int]>([:])

    func count(_ reason: Reason) {
        counts.withLock { $0[reason, default: 0] += 1 }
    }

    subscript(reason: Reason) -> Int { counts.withLock { $0[reason] ?? 0 } }
}
