import Locking
import Posix

/// The thread that looks after clients which do not finish what they began, or are gone: see ``ConnectionRules``.
final class ConnectionWatch: Sendable {
    /// How often it looks, in milliseconds, and how often at connections between two requests, of which there may be
    /// many.
    private static let tick = 250
    private static let idleTicks = 4

    private struct Control {
        var isAsleep = false
        var isStopping = false
    }

    /// What was seen of a connection at the last look.
    private struct Sight {
        var standing: ConnectionStanding
        /// When the first line of another request was first seen to have begun.
        var begun: Int?
    }

    private let table: ConnectionTable
    private let rules: ConnectionRules
    private let limit: Int
    private let inFlight: InFlight
    private let poll: EventPoll
    private let control = Lock(Control())
    private let thread: Lock<Thread?> = Lock(nil)

    /// Starts the thread.
    ///
    /// - Parameter limit: how many connections there can be.
    init(
        _ table: ConnectionTable,
        rules: ConnectionRules = ConnectionRules(),
        limit: Int,
        inFlight: InFlight
    ) throws(ServerError) {
        self.table = table
        self.rules = rules
        self.limit = limit
        self.inFlight = inFlight
        do throws(SystemError) {
            poll = try EventPoll()
            let started = try Thread(name: "connection-watch") { self.run() }
            thread.withLock { $0 = started }
        } catch {
            throw ServerError(error)
        }
    }

    /// There is a connection to watch: it sleeps while there is none.
    func wake() {
        let wasAsleep = control.withLock { control in
            defer { control.isAsleep = false }
            return control.isAsleep
        }
        if wasAsleep { poll.wakeUp.wake() }
    }

    /// Looks at once: the server begins to stop.
    func hurry() {
        poll.wakeUp.wake()
    }

    /// Ends the thread.
    func stop() {
        control.withLock { $0.isStopping = true }
        poll.wakeUp.wake()
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    private func run() {
        var seen: [ObjectIdentifier: Sight] = [:]
        var round = 0
        while !control.withLock({ $0.isStopping }) {
            let isIdle = control.withLock { control in
                control.isAsleep = table.count == 0
                return control.isAsleep
            }
            poll.wait(milliseconds: isIdle ? -1 : Int32(Self.tick)) { _, _ in }
            round += 1
            seen = look(at: round.isMultiple(of: Self.idleTicks), seen: seen)
        }
    }

    /// Looks at every connection once, and ends those whose time is over. Returns how the others stood.
    private func look(
        at idle: Bool,
        seen: [ObjectIdentifier: Sight]
    ) -> [ObjectIdentifier: Sight] {
        let all = table.all
        let situation = ConnectionRules.Situation(
            now: SystemClock.coarse.milliseconds,
            isCrowded: all.count > limit - min(limit / 4, 512),
            isDraining: inFlight.isDraining
        )
        var sights: [ObjectIdentifier: Sight] = [:]
        for connection in all {
            let standing = connection.standing
            let id = ObjectIdentifier(connection)
            if standing.stage == .answer { continue }
            // One that has just become idle may have had its end in one burst with its last request.
            let isLongIdle = standing.stage == .idle && situation.now - standing.since > 4 * Self.tick
            guard !isLongIdle || idle || situation.isDraining else {
                sights[id] = seen[id]
                continue
            }
            // The socket's number may be another's by now; then the connection is not in the table, and not ended.
            let peer = ConnectionPeer(of: connection.socket)
            let isSame = seen[id]?.standing == standing
            // Some clients send an empty line after a body (RFC 9112 section 2.2).
            let hasBegun = standing.stage == .idle && peer.pending(standing) > 2
            let begun = hasBegun ? (isSame ? seen[id]?.begun : nil) ?? situation.now : nil
            if rules.isOver(standing, peer, begun: begun, unchangedSinceLastLook: isSame, situation) {
                table.end(connection)
            } else {
                sights[id] = Sight(standing: standing, begun: begun)
            }
        }
        return sights
    }
}
