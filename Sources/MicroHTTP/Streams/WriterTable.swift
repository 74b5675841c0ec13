import CMicroHTTPD
import Glibc
import Notation
import Posix
import Synchronization

/// One stream on the writer's thread: its socket and what is being sent.
struct WriterSlot {
    let stream: DetachedStream
    let connection: SuspendedConnection
    /// The chunk under way; nil for a client of HTTP/1.0, whose response ends with the connection.
    var chunk: TransferChunk?
    /// Taken from the outbox; the first chunk may be partly sent.
    var sending: [Chunk] = []
    var offset = 0
    /// The kernel's buffer is full; an event will tell when it is not.
    var isBlocked = false
    var isEnding = false
    var isOver = false
    /// Since when the stream is to end but its socket takes nothing, in milliseconds of the monotonic clock.
    var endingSince: Int?
    /// How fast it is read; nil while the socket takes everything.
    var pace: ReadingPace?
    /// In milliseconds of the monotonic clock.
    var lastWrite = SystemClock.coarse.milliseconds

    init(stream: DetachedStream, connection: SuspendedConnection, isChunked: Bool) {
        self.stream = stream
        self.connection = connection
        chunk = isChunked ? TransferChunk() : nil
    }
}

extension WriterSlot {
    /// Whether a client that takes next to nothing holds memory that others wait for. It is given up then: otherwise a
    /// few of them could keep everybody from reading.
    fileprivate mutating func keepsOthersWaiting(now: Int) -> Bool {
        guard pace?.isTooSlow(now: now) == true else { return false }
        return stream.queuedBytes >= Self.muchMemory && stream.memory.isShort
    }

    /// What a client may keep however slowly it reads, in bytes.
    private static let muchMemory = 64 * 1024
}

/// The streams of a ``StreamWriter``, only touched by its thread.
struct WriterTable {
    private var slots: [WriterSlot?] = []
    private var free: [Int] = []
    /// Streams that are over and wait to be given back at the end of the turn.
    private var over: [Int] = []
    private let gather = GatherList()
    private let keepAliveFrame: Frame
    /// How long a silence may be, and how often to look for one, in milliseconds.
    private let silence: Int
    let tick: Int
    private var nextTick = 0

    init(keepAlive: StreamWriter.KeepAlive) {
        keepAliveFrame = keepAlive.frame
        silence = max(1, Int(keepAlive.interval.milliseconds))
        tick = min(1000, max(1, silence / 4))
    }

    /// How many streams are over and not yet given back.
    var overCount: Int { over.count }

    var isEmpty: Bool { free.count == slots.count }

    mutating func insert(_ slot: WriterSlot, poll: EventPoll) {
        let index = free.popLast() ?? slots.count
        if index == slots.count { slots.append(slot) } else { slots[index] = slot }
        slot.stream.slot.store(index, ordering: .relaxed)
        slot.connection.configure()
        // A send that finds a socket full sets its flag, and only then is there a change to room: a stream that keeps up
        // costs no event.
        let interest: Readiness = [.writable, .halfClosed, .changesOnly]
        guard poll.watch(slot.connection.socket, for: interest, token: UInt64(index)) else { return drop(index) }
        if slot.stream.open() { write(index) }
    }

    mutating func write(_ stream: DetachedStream) {
        let index = stream.slot.load(ordering: .relaxed)
        if index >= 0 { write(index) }
    }

    mutating func handle(token: UInt64, _ readiness: Readiness) {
        let index = Int(token)
        guard slots.indices.contains(index), let stream = slots[index]?.stream else { return }
        if readiness.isBroken || readiness.contains(.halfClosed) && stream.endsWithPeer {
            drop(index)
        } else if readiness.contains(.writable), slots[index]?.isBlocked == true {
            slots[index]?.isBlocked = false
            write(index)
        }
    }

    mutating func keepAlive(now: Int) {
        guard now >= nextTick else { return }
        nextTick = now + tick
        for index in slots.indices {
            guard slots[index]?.isOver == false else { continue }
            if slots[index]?.keepsOthersWaiting(now: now) == true {
                drop(index)
                continue
            }
            guard let slot = slots[index] else { continue }
            // A body that has an end is read at its client's pace, and needs no comments.
            guard slot.stream.endsWithPeer else { continue }
            if slot.isBlocked {
                cutIfStuck(index, now: now)
            } else if now - slot.lastWrite >= silence {
                _ = slot.stream.send(keepAliveFrame.whole)
            }
        }
    }

    /// Cuts a stream that was told to end and is not read: its orderly end can never be written.
    private mutating func cutIfStuck(_ index: Int, now: Int) {
        guard let slot = slots[index], slot.stream.isEnded else { return }
        let since = slot.endingSince ?? now
        slots[index]?.endingSince = since
        // One that is read slowly has time to come to its end, but not for ever.
        if now - max(since, slot.lastWrite) >= Self.stuckGrace || now - since >= Self.slowGrace { drop(index) }
    }

    /// How long a stream that is to end may take nothing, and how long to end at all, in milliseconds.
    private static let stuckGrace = 3_000
    private static let slowGrace = 30_000

    mutating func dropAll() {
        for index in slots.indices where slots[index] != nil { drop(index) }
    }

    /// Gives the connections of streams that are over back to libmicrohttpd, which frees them.
    mutating func release(poll: EventPoll) {
        for index in over {
            guard let slot = slots[index] else { continue }
            slots[index] = nil
            free.append(index)
            slot.stream.slot.store(-1, ordering: .relaxed)
            // Before resuming: from then on the descriptor's number can be another connection's.
            poll.remove(slot.connection.socket)
            slot.connection.resume()
        }
        over.removeAll(keepingCapacity: true)
    }

    /// Lets go of a stream whose client is gone.
    private mutating func drop(_ index: Int) { finish(index, inOrder: false) }

    private mutating func finish(_ index: Int, inOrder: Bool) {
        guard slots[index]?.isOver == false else { return }
        slots[index]?.isOver = true
        slots[index]?.stream.close(inOrder: inOrder)
        over.append(index)
    }

    private mutating func write(_ index: Int) {
        guard slots[index] != nil, slots[index]?.isOver == false else { return }
        // It was cut: nobody else closes the outbox of a stream that has a place here.
        if slots[index]?.stream.isOver == true { return drop(index) }
        // In place: the slot is written through one access, without copies of its arrays.
        let outcome = gather.send(&slots[index]!)
        switch outcome {
        case .written:
            slots[index]?.pace = nil
            if slots[index]?.isEnding == true { finish(index, inOrder: true) }
        case .blocked:
            slots[index]?.isBlocked = true
            if slots[index]?.pace == nil { slots[index]?.pace = ReadingPace(now: SystemClock.coarse.milliseconds) }
        case .dropped: drop(index)
        }
    }
}
