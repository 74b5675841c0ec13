import Locking
import Synchronization

/// A response body that goes on for as long as its client listens, fed from any thread.
///
/// Libmicrohttpd accepts the request and sends the head; then the connection is suspended and the ``StreamWriter``
/// alone writes to its socket. Frames sent before that wait in the outbox.
public final class DetachedStream: Sendable {
    /// What became of a chunk.
    public enum SendResult: Sendable {
        /// It will be written, in order.
        case queued
        /// There is no room; nothing of the chunk was taken. See ``drained(room:)``.
        case full
        /// The stream is ending or over.
        case ended
    }

    /// The budget in which what waits counts.
    public var memory: ReaderMemory { writer.memory }

    private let writer: StreamWriter
    private let outbox: Lock<Outbox>

    /// Whether a client that will send nothing more counts as gone. A client of events that never end has no reason to
    /// close its half of the connection; one that waits for an answer may have.
    let endsWithPeer: Bool

    /// Where the writer's table has it; -1 if it has not. Only the writer's thread uses it.
    let slot = Atomic<Int>(-1)

    /// A stream without a socket yet.
    ///
    /// - Parameters:
    ///   - writer: the thread that will write it.
    ///   - outboxLimit: how many bytes may wait before ``send(_:isHeld:)`` answers `full`; less while the budget of all
    ///     readers is short.
    ///   - endsWithPeer: whether a client that closes its half of the connection is gone, as for a stream without an
    ///     end, which is also kept alive in silence; otherwise only one that has closed or lost the whole of it.
    public init(writer: StreamWriter, outboxLimit: Int, endsWithPeer: Bool = true) {
        self.writer = writer
        self.endsWithPeer = endsWithPeer
        outbox = Lock(Outbox(limit: outboxLimit, leastCost: Self.leastCost))
    }

    /// What a small chunk costs in memory, about: its place in the outbox, and its frame.
    private static let leastCost = 192
    /// The largest frame that a stream gets also when the budget is used up.
    private static let smallFrame = 16 * 1024

    /// Bytes that wait to be taken by the kernel.
    public var queuedBytes: Int { outbox.withLock { $0.queuedBytes } }

    /// Whether the stream is ending or over.
    public var isEnded: Bool { outbox.withLock { $0.phase == .ending || $0.phase == .ended } }

    /// Appends a chunk. Costs a lock and, if the writer sleeps, a wake-up; never blocks.
    ///
    /// - Parameter isHeld: whether there is room in the budget for it, as the caller knows. Otherwise a large one is
    ///   refused when the budget is used up, for it would be kept alive; an outbox that has emptied takes a small one
    ///   always, so that whoever reads goes on to hear.
    public func send(_ chunk: Chunk, isHeld: Bool = false) -> SendResult {
        let share = memory.share
        if !isHeld, chunk.frame.count > Self.smallFrame, memory.isExhausted { return isEnded ? .ended : .full }
        switch outbox.withLock({ $0.append(chunk, share: share) }) {
        case .queued(let wake):
            if wake { writer.schedule(self) }
            return .queued
        case .full: return .full
        case .ended: return .ended
        }
    }

    /// Writes what waits, then `last`, then ends the response: an orderly end, never inside a frame. A connection of
    /// HTTP/1.1 can then take the next request.
    public func end(after last: Chunk? = nil) {
        if outbox.withLock({ $0.end(after: last) }) { writer.schedule(self) }
    }

    /// Breaks the stream off, whatever waits: its client notices that it is not whole.
    public func cut() {
        close(inOrder: false)
        writer.schedule(self)
    }

    /// Returns when `room` more bytes fit and at most half of the outbox waits, or when the stream is over.
    public func drained(room: Int) async {
        let share = memory.share
        await withCheckedContinuation { continuation in
            let waits = outbox.withLock { $0.wait(forRoom: room, share: share) { continuation.resume() } }
            if !waits { continuation.resume() }
        }
    }

    /// Gives the writer the connection to write to.
    ///
    /// - Parameter isChunked: whether the head has promised the chunked transfer coding.
    func adopt(_ connection: SuspendedConnection, isChunked: Bool) {
        writer.adopt(self, connection: connection, isChunked: isChunked)
    }

    // What only the writer calls, on its thread.

    /// The writer has the socket. Returns whether there is something to do at once.
    func open() -> Bool { outbox.withLock { $0.open() } }

    /// Moves what waits into `sending`. Returns whether the stream ends after it.
    func take(into sending: inout [Chunk]) -> Bool {
        outbox.withLock {
            $0.take(into: &sending)
            return $0.phase == .ending
        }
    }

    /// What a chunk counts for beyond its bytes.
    func surcharge(of chunk: Chunk) -> Int { max(0, Self.leastCost - chunk.count) }

    /// The kernel took so many bytes, and with them the last of chunks of that ``surcharge(of:)``.
    func sent(_ count: Int, surcharge: Int) {
        for waiter in outbox.withLock({ $0.sent(count, surcharge: surcharge) }) { waiter() }
    }

    /// Whether nothing is to be written any more, not even an end.
    var isOver: Bool { outbox.withLock { $0.phase == .ended } }

    func close(inOrder: Bool) {
        for waiter in outbox.withLock({ $0.close(inOrder: inOrder) }) { waiter() }
    }

    /// Whether it is over, and the client has got everything up to an orderly end.
    var endedInOrder: Bool { outbox.withLock { $0.endedInOrder } }
}
