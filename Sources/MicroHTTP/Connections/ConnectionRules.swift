/// How long a client may take to say what it wants: pure rules, times in milliseconds.
///
/// Libmicrohttpd knows one timeout, for silence. A head that comes byte by byte would never meet it, and a client that
/// has gone in the middle of a request can go unnoticed until then: data and end in one burst are one edge of its
/// edge-triggered epoll set.
struct ConnectionRules {
    /// For a head, from the first sign of it; for a first request, from the connection's acceptance.
    var head = 10_000
    /// For a body, to begin with; see ``bodyRate``.
    var body = 20_000
    /// The bytes of body that buy a second more: the slowest client that is waited for. Apache's `mod_reqtimeout` has
    /// the same.
    var bodyRate = 500
    /// The same for a head, and for a kept connection, when descriptors run short.
    var headWhenCrowded = 2_000
    var idleWhenCrowded = 5_000

    /// What of the server's state counts.
    struct Situation {
        var now: Int
        /// Most of the connections that there can be are open.
        var isCrowded = false
        /// How many wait to be accepted while there is no place for them.
        var waiting = 0
        /// The server stops: what has not been asked by now is not answered.
        var isDraining = false
    }

    /// Whether a connection has had its time.
    ///
    /// - Parameters:
    ///   - begun: when the first line of a request was seen to have begun on a kept connection; nil if it has not.
    ///   - unchangedSinceLastLook: whether it stood the same then.
    func isOver(
        _ standing: ConnectionStanding,
        _ peer: ConnectionPeer,
        begun: Int?,
        unchangedSinceLastLook: Bool,
        _ situation: Situation
    ) -> Bool {
        guard standing.stage != .answer else { return false }
        // At the second look only: what came last may just be read.
        if peer.state != .open, unchangedSinceLastLook { return true }
        if situation.isDraining, unchangedSinceLastLook { return true }
        let head = situation.isCrowded ? headWhenCrowded : head
        let age = situation.now - standing.since
        switch standing.stage {
        case .idle:
            if standing.isFresh { return age > head }
            return begun.map { situation.now - $0 > head } ?? false || situation.isCrowded && age > idleWhenCrowded
        case .head: return age > head
        case .body: return age > body + standing.received / bodyRate * 1000
        case .answer: return false
        }
    }
}
