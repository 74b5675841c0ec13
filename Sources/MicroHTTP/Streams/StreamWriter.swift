import Locking
import Posix
import Synchronization

/// The thread that owns the socket of every detached stream after its head was sent.
///
/// It sends all that waits for a socket with one gathering `sendmsg(2)`, notices a dropped peer at once
/// (`EPOLLRDHUP`), keeps silent streams alive, and gives the connection back to libmicrohttpd when the stream is over.
public final class StreamWriter: Sendable {
    /// When and what to send into silence.
    public struct KeepAlive: Sendable {
        /// After how long without a byte, give or take a quarter.
        public var interval: Duration
        /// What is sent, such as a comment.
        public var frame: Frame

        /// Sends the frame into a silence of that length.
        public init(interval: Duration, frame: Frame) {
            self.interval = interval
            self.frame = frame
        }
    }

    private struct Inbox {
        var adopted: [WriterSlot] = []
        var ready: [DetachedStream] = []
        var isAsleep = false
        var isStopping = false
        var isCutting = false

        var isEmpty: Bool { adopted.isEmpty && ready.isEmpty && !isStopping && !isCutting }

        mutating func clear() {
            adopted.removeAll(keepingCapacity: true)
            ready.removeAll(keepingCapacity: true)
            isCutting = false
        }
    }

    /// The budget of what waits to be written to the clients of this writer, and of others that share it.
    public let memory: ReaderMemory

    private let poll: EventPoll
    private let inbox = Lock(Inbox())
    private let keepAlive: KeepAlive
    private let open = Atomic<Int>(0)
    private let thread: Lock<Thread?> = Lock(nil)

    /// Starts the thread.
    public init(keepAlive: KeepAlive, memory: ReaderMemory = ReaderMemory()) throws(ServerError) {
        self.memory = memory
        self.keepAlive = keepAlive
        do throws(SystemError) {
            poll = try EventPoll()
            // The thread keeps its writer alive until stop().
            let started = try Thread(name: "stream-writer") { self.run() }
            thread.withLock { $0 = started }
        } catch {
            throw ServerError(error)
        }
    }

    /// How many streams the writer holds now.
    public var openStreams: Int { open.load(ordering: .relaxed) }

    /// Closes every stream's connection at once, whatever waits.
    public func cutAll() {
        tell { $0.isCutting = true }
    }

    /// Ends the thread; streams that are still open are cut.
    public func stop() {
        tell { $0.isStopping = true }
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    // From any thread.

    func schedule(_ stream: DetachedStream) {
        tell { $0.ready.append(stream) }
    }

    /// Takes over a suspended connection's socket.
    func adopt(_ stream: DetachedStream, connection: SuspendedConnection, isChunked: Bool) {
        open.add(1, ordering: .relaxed)
        tell { $0.adopted.append(WriterSlot(stream: stream, connection: connection, isChunked: isChunked)) }
    }

    private func tell(_ change: (inout Inbox) -> Void) {
        let wasAsleep = inbox.withLock { inbox in
            change(&inbox)
            defer { inbox.isAsleep = false }
            return inbox.isAsleep
        }
        if wasAsleep { poll.wakeUp.wake() }
    }

    // On the writer's thread.

    private func run() {
        var table = WriterTable(keepAlive: keepAlive)
        var mail = Inbox()
        while true {
            let wait: Int32 = inbox.withLock { inbox in
                guard inbox.isEmpty else {
                    // Back and forth, so that neither side's arrays grow anew.
                    swap(&mail, &inbox)
                    return 0
                }
                inbox.isAsleep = true
                return table.isEmpty ? -1 : Int32(table.tick)
            }
            for slot in mail.adopted { table.insert(slot, poll: poll) }
            for stream in mail.ready { table.write(stream) }
            poll.wait(milliseconds: wait) { table.handle(token: $0, $1) }
            inbox.withLock { $0.isAsleep = false }

            if mail.isCutting || mail.isStopping { table.dropAll() }
            table.keepAlive(now: SystemClock.coarse.milliseconds)
            // Counted out first: when a server has stopped, its streams no longer show.
            open.subtract(table.overCount, ordering: .relaxed)
            table.release(poll: poll)
            if mail.isStopping { return }
            mail.clear()
        }
    }
}
