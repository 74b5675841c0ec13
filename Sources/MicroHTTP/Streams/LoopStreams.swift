import Posix

/// The streams of an event loop: those that it writes itself, and those over TLS, which libmicrohttpd writes. Confined to
/// the loop's thread.
final class LoopStreams {
    private let shared: OpenStreams
    private var table: StreamTable
    private var secure: SecureStreams
    /// Taken over in this turn.
    private var adopted: [StreamSlot] = []
    /// Streams that were sent something since the last turn.
    private var news: [DetachedStream] = []
    /// Streams that have something to write, those first that have waited longest.
    private var ready: [DetachedStream] = []
    /// Those whose turn is later.
    private var held: [(stream: DetachedStream, due: Int)] = []
    private var pace = WritingPace()

    /// How many streams get a descriptor of their own in one turn, for which a connection has two until the turn is over.
    private static let handoversPerTurn = 16
    /// How many are written in one turn: what is posted meanwhile gathers.
    private static let writesPerTurn = 8
    private static let few = 2

    init(_ shared: OpenStreams) {
        self.shared = shared
        table = StreamTable(shared)
        secure = SecureStreams(shared)
    }

    /// Whether a connection may have a second descriptor in this turn.
    var takesHandovers: Bool { adopted.count < Self.handoversPerTurn }

    /// Whether there is something to do at once.
    var hasWork: Bool { !news.isEmpty || !ready.isEmpty || !adopted.isEmpty }

    /// When they are to be looked at again, in milliseconds; -1 if there are none.
    var longestWait: Int32 {
        if let next = held.first { return Int32(clamping: max(1, next.due - SystemClock.coarse.milliseconds)) }
        return table.isEmpty ? -1 : Int32(table.tick)
    }

    /// Takes over a stream, whose head is in the kernel, with what keeps its connection.
    func adopt(_ slot: StreamSlot) {
        shared.add(1)
        adopted.append(slot)
    }

    /// Looks after a stream that libmicrohttpd writes.
    func insert(_ stream: SecureStream, poll: EventPoll) {
        secure.insert(stream, poll: poll)
    }

    func remove(_ stream: SecureStream, poll: EventPoll) {
        secure.remove(stream, poll: poll)
    }

    /// A stream has something to write.
    func schedule(_ stream: DetachedStream) {
        news.append(stream)
    }

    /// Takes in what has happened at a socket.
    func handle(token: UInt64, _ readiness: Readiness) {
        if !secure.handle(token: token, readiness) { table.handle(token: token, readiness) }
    }

    /// Writes what a request has for one or two streams before it is answered: then whoever has sent it and hears it is woken
    /// once, and not by the answer first. What is for many waits until after the answer, and gathers.
    func writeFew() {
        guard 1...Self.few ~= news.count, ready.isEmpty, held.isEmpty, secure.isEmpty else { return }
        pace.wrote(streams: news.count, chunks: table.write(news))
        news.removeAll(keepingCapacity: true)
    }

    /// Writes some of what there is to write.
    func turn(of loop: EventLoop, poll: EventPoll, and others: [DetachedStream]) {
        guard hasWork || !held.isEmpty || !others.isEmpty else { return }
        for slot in adopted { table.insert(slot, of: loop, poll: poll) }
        adopted.removeAll(keepingCapacity: true)
        news += others
        takeTurns(now: SystemClock.coarse.milliseconds)
        let turns = Array(ready.prefix(Self.writesPerTurn))
        ready.removeFirst(turns.count)
        let chunks = table.write(secure.isEmpty ? turns : turns.filter { !secure.wake($0) })
        pace.wrote(streams: turns.count, chunks: chunks)
    }

    /// Gives each of those that were sent something its turn: now, or later.
    private func takeTurns(now: Int) {
        if !held.isEmpty {
            let due = held.prefix { $0.due <= now }
            ready += due.lazy.map(\.stream)
            held.removeFirst(due.count)
        }
        if pace.isSlow(waiting: ready.count + held.count + news.count) {
            for stream in news {
                if let last = table.lastWrite(of: stream), let due = pace.due(last: last, now: now) {
                    held.append((stream, due))
                } else {
                    ready.append(stream)
                }
            }
        } else if ready.isEmpty {
            swap(&ready, &news)
        } else {
            ready += news
        }
        news.removeAll(keepingCapacity: true)
    }

    /// Does what is due by the clock.
    func look(at now: Int) {
        table.keepAlive(now: now)
        secure.look(at: now)
    }

    /// Ends them all, whatever waits.
    func cut() {
        table.dropAll()
        secure.dropAll()
    }

    /// Takes out those that are over, but for those over TLS.
    func takeOver(poll: EventPoll) -> [StreamSlot] {
        let over = table.takeOver(poll: poll)
        // Counted out first: when a server has stopped, its streams no longer show.
        shared.add(-over.count)
        return over
    }
}
