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
        /// The outbox is full; nothing of the chunk was taken. See ``drained(room:)``.
        case full
        /// The stream is ending or over.
        case ended
    }

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
    ///   - outboxLimit: how many bytes may wait before ``send(_:)`` answers `full`.
    ///   - endsWithPeer: whether a client that closes its half of the connection is gone, as for a stream without an
    ///     end; otherwise only one that has closed or lost the whole of it.
    public init(writer: StreamWriter, outboxLimit: Int, endsWithPeer: Bool = true) {
        self.writer = writer
        self.endsWithPeer = endsWithPeer
        outbox = Lock(Outbox(limit: outboxLimit))
    }

    /// Bytes that wait to be taken by the kernel.
    public var queuedBytes: Int { outbox.withLock { $0.queuedBytes } }

    /// Whether the stream is ending or over.
    public var isEnded: Bool { outbox.withLock { $0.phase == .ending || $0.phase == .ended } }

    /// Appends a chunk. Costs a lock and, if the writer sleeps, a wake-up; never blocks.
    public func send(_ chunk: Chunk) -> SendResult {
        switch outbox.withLock({ $0.append(chunk) }) {
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

    /// Returns when `room` more bytes fit and at most half of the outbox waits, or when the stream is over.
    public func drained(room: Int) async {
        await withCheckedContinuation { continuation in
            let waits = outbox.withLock { $0.wait(forRoom: room) { continuation.resume() } }
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

    func sent(_ count: Int) {
        for waiter in outbox.withLock({ $0.sent(count) }) { waiter() }
    }

    func close(inOrder: Bool) {
        for waiter in outbox.withLock({ $0.close(inOrder: inOrder) }) { waiter() }
    }

    /// Whether it is over, and the client has got everything up to an orderly end.
    var endedInOrder: Bool { outbox.withLock { $0.endedInOrder } }
}
