import Locking
import Synchronization

/// A response body that goes on for as long as its client listens, fed from any thread.
///
/// Libmicrohttpd reads the request and sends the head; from then on the connection's event loop alone writes to the client.
/// Frames sent before that wait in the outbox.
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
    public var memory: ReaderMemory { streams.memory }

    private struct State {
        var outbox: Outbox
        /// Who writes it, while it is open.
        var loop: EventLoop?
    }

    let streams: OpenStreams
    private let state: Lock<State>

    /// Whether a client that will send nothing more counts as gone. A client of events that never end has no reason to
    /// close its half of the connection; one that waits for an answer may have.
    let endsWithPeer: Bool

    /// Where its loop's table has it; -1 if it has not. Only the loop's thread uses it.
    let slot = Atomic<Int>(-1)

    /// A stream without a socket yet.
    ///
    /// - Parameters:
    ///   - streams: those of the server that it will be a response of.
    ///   - outboxLimit: how many bytes may wait before ``send(_:isHeld:)`` answers `full`; less while the budget of all
    ///     readers is short.
    ///   - endsWithPeer: whether a client that closes its half of the connection is gone, as for a stream without an
    ///     end, which is also kept alive in silence; otherwise only one that has closed or lost the whole of it.
    public init(streams: OpenStreams, outboxLimit: Int, endsWithPeer: Bool = true) {
        self.streams = streams
        self.endsWithPeer = endsWithPeer
        state = Lock(State(outbox: Outbox(limit: outboxLimit, leastCost: Self.leastCost)))
    }

    /// What a small chunk costs in memory, about: its place in the outbox, and its frame.
    private static let leastCost = 192
    /// The largest frame that a stream gets also when the budget is used up.
    private static let smallFrame = 16 * 1024

    /// Bytes that wait to be taken by the kernel.
    public var queuedBytes: Int { state.withLock { $0.outbox.queuedBytes } }

    /// Whether the stream is ending or over.
    public var isEnded: Bool { state.withLock { $0.outbox.phase == .ending || $0.outbox.phase == .ended } }

    /// Appends a chunk. Costs a lock and, if the writer sleeps, a wake-up; never blocks.
    ///
    /// - Parameter isHeld: whether there is room in the budget for it, as the caller knows. Otherwise a large one is
    ///   refused when the budget is used up, for it would be kept alive; an outbox that has emptied takes a small one
    ///   always, so that whoever reads goes on to hear.
    public func send(_ chunk: Chunk, isHeld: Bool = false) -> SendResult {
        let share = memory.share
        if !isHeld, chunk.frame.count > Self.smallFrame, memory.isExhausted { return isEnded ? .ended : .full }
        let (result, loop) = state.withLock { state in
            let result = state.outbox.append(chunk, share: share)
            guard case .queued(wake: true) = result else { return (result, EventLoop?.none) }
            return (result, state.loop)
        }
        loop?.schedule(self)
        return switch result {
        case .queued: .queued
        case .full: .full
        case .ended: .ended
        }
    }

    /// Writes what waits, then `last`, then ends the response: an orderly end, never inside a frame. A connection of
    /// HTTP/1.1 can then take the next request.
    public func end(after last: Chunk? = nil) {
        state.withLock { $0.outbox.end(after: last) ? $0.loop : nil }?.schedule(self)
    }

    /// Breaks the stream off, whatever waits: its client notices that it is not whole.
    public func cut() {
        let loop = state.withLock { $0.loop }
        close(inOrder: false)
        loop?.schedule(self)
    }

    /// Returns when `room` more bytes fit and next to nothing waits, or when the stream is over.
    public func drained(room: Int) async {
        let share = memory.share
        await withCheckedContinuation { continuation in
            let waits = state.withLock { $0.outbox.wait(forRoom: room, share: share) { continuation.resume() } }
            if !waits { continuation.resume() }
        }
    }

    // What only its loop calls, on its thread.

    /// The loop has the socket. Returns whether there is something to do at once.
    func open(on loop: EventLoop) -> Bool {
        state.withLock { state in
            state.loop = loop
            return state.outbox.open()
        }
    }

    /// Moves what waits into `sending`. Returns how far the stream has come: it may end after that, or be over.
    func take(into sending: inout [Chunk]) -> Outbox.Phase {
        state.withLock { state in
            state.outbox.take(into: &sending)
            return state.outbox.phase
        }
    }

    /// What a chunk counts for beyond its bytes.
    func surcharge(of chunk: Chunk) -> Int { max(0, Self.leastCost - chunk.count) }

    /// The kernel took so many bytes, and with them the last of chunks of that ``surcharge(of:)``.
    func sent(_ count: Int, surcharge: Int) {
        for waiter in state.withLock({ $0.outbox.sent(count, surcharge: surcharge) }) { waiter() }
    }

    /// Whether nothing is to be written any more, not even an end.
    var isOver: Bool { state.withLock { $0.outbox.phase == .ended } }

    func close(inOrder: Bool) {
        let waiters = state.withLock { state in
            state.loop = nil
            return state.outbox.close(inOrder: inOrder)
        }
        for waiter in waiters { waiter() }
    }

    /// Whether it is over, and the client has got everything up to an orderly end.
    var endedInOrder: Bool { state.withLock { $0.outbox.endedInOrder } }
}
