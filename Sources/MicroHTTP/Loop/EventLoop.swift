import Glibc
import Posix
import Synchronization

/// One of a server's threads. It owns a libmicrohttpd daemon, the connections that were placed with it, and their streams.
///
/// A turn: libmicrohttpd reads what has come, and writes the answers that are there; what several requests want is then done
/// together; then each stream that was sent something is written; then comes what is due by the clock.
///
/// `@unchecked Sendable`: other threads use the inbox, the load, the number of the thread and ``poll``'s wake-up; all else is
/// confined to the thread.
@safe
final class EventLoop: @unchecked Sendable {
    private enum Token {
        static let daemon = UInt64.max - 1
        static let listening = UInt64.max - 2
    }

    let core: HTTPServer.Core
    private unowned let loops: Loops
    private let poll: EventPoll
    private let inbox = LoopInbox()
    private let placed = Atomic<Int>(0)
    private let number = Atomic<pthread_t>(0)

    var connections = ConnectionTable()
    var handshakes = Handshakes()
    /// The connection whose request line was read last.
    var current: Connection?
    /// What libmicrohttpd is being given: how much of it was read before, if that is known.
    private(set) var consumedBefore: Int?
    private var daemon: Daemon?
    private var isDaemonReady = true
    /// How often libmicrohttpd has called.
    var calls = 0
    /// How often in a row it had something to do, and did not call.
    private var idleRuns = 0
    private var queue: ListenQueue
    private var requests = GatheredRequests()
    private var watch = ConnectionWatch()
    private var nextLook = 0
    /// How many connections may still be looked at for refusals until then.
    private var refusalLooks = Refusal.looksPerTick
    private var refused: RefusedSockets
    private let streams: LoopStreams

    private static let idleRunsAtOnce = 64

    init(_ core: HTTPServer.Core, among loops: Loops) throws(ServerError) {
        self.core = core
        self.loops = loops
        do throws(SystemError) { poll = try EventPoll() } catch { throw ServerError(error) }
        queue = ListenQueue(of: core)
        let configuration = core.configuration
        refused = RefusedSockets(connections: configuration.maximumConnections, loops: configuration.threads)
        streams = LoopStreams(core.streams)
        daemon = try Daemon(for: self)
        guard let daemon, poll.watch(daemon.descriptor, for: .readable, token: Token.daemon) else {
            throw ServerError(SystemError("epoll_ctl"))
        }
    }

    /// How many connections it has, streams among them.
    var load: Int { placed.load(ordering: .relaxed) }

    /// Whether the caller runs on its thread.
    private var isCurrent: Bool { number.load(ordering: .relaxed) == pthread_self() }

    // From any thread.

    /// Gives it a connection that was accepted and counted.
    func place(_ arrival: Arrival) {
        placed.add(1, ordering: .relaxed)
        if isCurrent { take(arrival) } else { leave { $0.arrivals.append(arrival) } }
    }

    /// A stream of its has something to write.
    func schedule(_ stream: DetachedStream) {
        if isCurrent { streams.schedule(stream) } else { leave { $0.ready.append(stream) } }
    }

    /// A suspended connection of its was resumed.
    func hasResumed() {
        if isCurrent { isDaemonReady = true } else { order(.resume) }
    }

    func order(_ orders: LoopInbox.Orders) {
        leave { $0.orders.formUnion(orders) }
    }

    private func leave(_ change: (inout LoopInbox.Mail) -> Void) {
        if inbox.leave(change) { poll.wakeUp.wake() }
    }

    // On its thread.

    /// Works until it is told to stop.
    func run() {
        number.store(pthread_self(), ordering: .relaxed)
        var mail = LoopInbox.Mail()
        while !mail.orders.contains(.stop) {
            turn(mail)
            mail.empty()
            let wait = inbox.take(&mail, orSleep: longestWait)
            poll.wait(milliseconds: wait) { token, readiness in
                switch token {
                case Token.daemon: isDaemonReady = true
                case Token.listening: queue.accept(poll) { loops.place($0) }
                default:
                    if handshakes.handle(token: token, poll: poll) {
                        isDaemonReady = true
                    } else {
                        streams.handle(token: token, readiness)
                    }
                }
            }
            if wait != 0 { inbox.awake() }
        }
        streams.cut()
        release()
        handshakes.resume(poll)
        daemon = nil
        refused.close()
        for arrival in mail.arrivals { close(arrival.socket) }
    }

    private func turn(_ mail: LoopInbox.Mail) {
        for arrival in mail.arrivals { take(arrival) }
        if mail.orders.contains(.resume) { isDaemonReady = true }
        if isDaemonReady {
            isDaemonReady = false
            runDaemon()
            beginGathered()
        }
        streams.turn(of: self, poll: poll, and: mail.ready)
        if mail.orders.contains(.cut) { streams.cut() }
        let now = SystemClock.coarse.milliseconds
        streams.look(at: now)
        release()
        look(now, isAtOnce: mail.orders.contains(.watch))
        queue.watch(poll, token: Token.listening, now: now)
    }

    /// Has libmicrohttpd do what there is to do, and ends what it would never come to an end of.
    private func runDaemon() {
        let before = calls
        guard daemon?.run() == true else {
            idleRuns = 0
            return
        }
        isDaemonReady = true
        idleRuns = calls == before ? idleRuns + 1 : 0
        if idleRuns > 0 { handshakes.suspend(poll) }
        guard idleRuns > 1 else { return }
        for connection in connections.all where connection.holdsEndlessChunkHead() {
            // What 0.9.75 answers where it has a thread of its own.
            Refusal.send(500, to: connection, readsAway: false, loop: self)
            daemon?.end(connection)
        }
    }

    /// In milliseconds; -1 if nothing is due.
    private var longestWait: Int32 {
        if streams.hasWork { return 0 }
        // Whatever keeps libmicrohttpd asking, it does not keep the processor.
        if isDaemonReady { return idleRuns > Self.idleRunsAtOnce ? 1 : 0 }
        let wait = streams.longestWait
        guard !connections.isEmpty || !queue.isWatched || !refused.isEmpty else { return wait }
        // A stream whose turn is later does not wait for the watch.
        let tick = Int32(ConnectionWatch.tick)
        return wait < 0 ? tick : min(wait, tick)
    }

    private func look(_ now: Int, isAtOnce: Bool) {
        guard isAtOnce || now >= nextLook else { return }
        nextLook = now + ConnectionWatch.tick
        refusalLooks = Refusal.looksPerTick
        refused.look(now: now)
        // Libmicrohttpd has timeouts of its own.
        isDaemonReady = isDaemonReady || !connections.isEmpty
        // Among requests that never cease there is no run without one.
        handshakes.suspend(poll)
        let situation = ConnectionRules.Situation(
            now: now,
            isCrowded: core.places.isCrowded,
            waiting: core.places.hasRoom ? 0 : core.listening.waiting,
            isDraining: core.inFlight.isDraining
        )
        watch.look(at: connections, situation)
    }

    /// The connection that libmicrohttpd is about to refuse a request on, if it can be told.
    func connectionRefused(with status: Int) -> Connection? {
        Refusal.connection(of: status, current: current, in: connections, looks: &refusalLooks)
    }

    /// Reads on for a while from a socket that libmicrohttpd is about to close, and whose client may still be sending.
    func readAway(_ socket: Int32) { refused.add(socket, now: SystemClock.coarse.milliseconds) }

    // Requests that are answered later.

    /// Begins what answers a request: at once, or with that of others when all have been read. Returns whether it has begun.
    func begin(_ body: @escaping () -> Void) -> Bool {
        guard !requests.add(body) else { return false }
        core.together(body)
        streams.writeFew()
        return true
    }

    private func beginGathered() {
        let gathered = requests.endTurn()
        guard !gathered.isEmpty else { return }
        core.together { for body in gathered { body() } }
        // For the answers.
        isDaemonReady = true
    }

    // Connections.

    private func take(_ arrival: Arrival) {
        if daemon?.add(arrival) != true { forget() }
        isDaemonReady = true
    }

    /// A connection is gone.
    func forget() {
        placed.subtract(1, ordering: .relaxed)
        core.places.giveBack()
    }

    // Streams.

    /// Looks after a stream that libmicrohttpd writes.
    func watch(_ stream: SecureStream) {
        streams.insert(stream, poll: poll)
    }

    func forget(_ stream: SecureStream) {
        streams.remove(stream, poll: poll)
    }

    /// Whether a connection may have a second descriptor in this turn.
    var takesHandovers: Bool { streams.takesHandovers }

    /// Takes over a stream, whose head is in the kernel, with what keeps its connection.
    func adopt(_ slot: StreamSlot) {
        if slot.socket.isOwn { core.inFlight.begin() }
        // Libmicrohttpd 0.9.75 closes what it was told to forget in its next turn.
        isDaemonReady = true
        streams.adopt(slot)
    }

    /// Lets go of streams that are over, and gives their connections back to libmicrohttpd where they are of use.
    private func release() {
        for slot in streams.takeOver(poll: poll) {
            switch slot.socket {
            case .suspended(let connection): connection.resume()
            case .own(let socket, let consumed):
                if let consumed, slot.stream.endedInOrder, !core.inFlight.isDraining,
                    let arrival = Arrival(returning: socket)
                {
                    consumedBefore = consumed
                    take(arrival)
                    consumedBefore = nil
                } else {
                    close(socket)
                    forget()
                }
                core.inFlight.complete()
            }
        }
    }
}
