import Glibc

/// Looks after clients which do not finish what they began, or are gone: see ``ConnectionRules``; and after those that
/// keep others waiting, since they hardly send their body or read their answer.
///
/// Confined to the thread of the event loop whose connections it watches.
struct ConnectionWatch {
    /// How often it is to look, in milliseconds.
    static let tick = 250
    /// At which of its looks it sees to connections between two requests, of which there may be many.
    private static let idleTicks = 4

    /// What was seen of a connection at the last look.
    private struct Sight {
        var standing: ConnectionStanding
        /// When the first line of another request was first seen to have begun.
        var begun: Int?
    }

    private let rules = ConnectionRules()
    private let eviction = ConnectionEviction()
    private var seen: [ObjectIdentifier: Sight] = [:]
    private var round = 0

    /// Looks at every connection once, and ends those whose time is over: libmicrohttpd is told by its epoll set, and closes
    /// them.
    mutating func look(at table: ConnectionTable, _ situation: ConnectionRules.Situation) {
        round += 1
        let isIdleRound = round.isMultiple(of: Self.idleTicks)
        var sights: [ObjectIdentifier: Sight] = [:]
        for connection in table.all {
            let standing = connection.standing
            let id = ObjectIdentifier(connection)
            if connection.exchange?.keepsOthersWaiting(now: situation.now) == true {
                shutdown(connection.socket, Int32(SHUT_RDWR))
                continue
            }
            if standing.stage == .answer { continue }
            // One that has just become idle may have had its end in one burst with its last request.
            let isLongIdle = standing.stage == .idle && situation.now - standing.since > 4 * Self.tick
            guard !isLongIdle || isIdleRound || situation.isDraining else {
                sights[id] = seen[id]
                continue
            }
            let peer = ConnectionPeer(of: connection.socket)
            let isSame = seen[id]?.standing == standing
            // Some clients send an empty line after a body (RFC 9112 section 2.2), of which nobody is told.
            let hasBegun = standing.stage == .idle && peer.pending(standing) > 2 * max(1, standing.requests)
            let begun = hasBegun ? (isSame ? seen[id]?.begun : nil) ?? situation.now : nil
            if rules.isOver(standing, peer, begun: begun, unchangedSinceLastLook: isSame, situation) {
                shutdown(connection.socket, Int32(SHUT_RDWR))
            } else {
                sights[id] = Sight(standing: standing, begun: begun)
            }
        }
        seen = sights
        if situation.waiting > 0 { makeRoom(in: table, situation) }
    }

    private func makeRoom(in table: ConnectionTable, _ situation: ConnectionRules.Situation) {
        let candidates = table.all.map {
            ConnectionEviction.Candidate(socket: $0.socket, customer: $0.customer, standing: $0.standing)
        }
        for socket in eviction.victims(among: candidates, waiting: situation.waiting, now: situation.now) {
            shutdown(socket, Int32(SHUT_RDWR))
        }
    }
}
