import Posix

/// Which connections a server parts with when it has no place for those that wait, so that one client does not keep the others
/// out. Pure rules, times in milliseconds.
///
/// Only the customer with most connections on which no request is complete loses any: those first that rest, then heads, then
/// bodies that hardly come. Whoever comes again stands behind the others.
struct ConnectionEviction {
    /// How long a connection that rests, or has begun a head, is let be: as long as a distant client takes to send one.
    var rest = 500
    /// The same for a body, and how many bytes a second are enough after that: what a slow mobile network carries.
    var body = 1_000
    var bodyRate = 16_384

    struct Candidate {
        let socket: Int32
        /// Whose it is: see `IPAddress/customer`.
        let customer: IPAddress?
        let standing: ConnectionStanding

        fileprivate var stage: Int { standing.stage.rawValue }
    }

    /// The sockets of those to be ended, so that there are places for as many as wait.
    func victims(among connections: [Candidate], waiting: Int, now: Int) -> [Int32] {
        let unfinished = connections.filter { $0.standing.stage != .answer }
        let most = Dictionary(grouping: unfinished, by: \.customer).values.max { $0.count < $1.count } ?? []
        guard most.count > 1 else { return [] }
        let late = most.filter { isLate($0.standing, now: now) }
        let order = late.sorted { ($0.stage, $0.standing.since) < ($1.stage, $1.standing.since) }
        return order.prefix(waiting).map(\.socket)
    }

    private func isLate(_ standing: ConnectionStanding, now: Int) -> Bool {
        let age = now - standing.since
        switch standing.stage {
        case .idle, .head: return age >= rest
        case .body: return age >= body && standing.received < age / 1000 * bodyRate
        case .answer: return false
        }
    }
}
