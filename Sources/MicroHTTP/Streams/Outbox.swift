/// What waits to be written to one detached stream, and how far the stream's life has come: a state machine without
/// locks or I/O.
///
/// Bytes count against the limit from the moment they are appended until the kernel has taken them, so the memory that
/// a slow reader can hold is the limit plus one chunk. A small chunk counts for more than its bytes: a place in a list
/// and a frame cost as much as many an event has.
struct Outbox {
    /// Not yet handed to the writer; open; flushing before the end; over.
    enum Phase { case opening, open, ending, ended }

    enum AppendResult { case queued(wake: Bool), full, ended }

    /// Somebody who waits until at most so many bytes are queued.
    private struct Waiter {
        let threshold: Int
        let tell: @Sendable () -> Void
    }

    private(set) var phase = Phase.opening
    /// Whether everything up to an orderly end was written: the client has got all there was for it.
    private(set) var endedInOrder = false
    private(set) var queuedBytes = 0
    /// What small chunks that are queued count for beyond their bytes.
    private var surcharge = 0
    private var waiting: [Chunk] = []
    /// Whether the writer was told and has not come yet.
    private var isScheduled = false
    private var waiters: [Waiter] = []
    private let limit: Int
    /// What a chunk counts for at least.
    private let leastCost: Int

    /// A stream that is fed by somebody who waits gets more when so much of its limit waits: a sixteenth.
    private static let refill = 16

    /// How many places of a list that has emptied are kept for the next burst: 12 KiB.
    private static let keptPlaces = 512

    init(limit: Int, leastCost: Int = 0) {
        self.limit = limit
        self.leastCost = leastCost
    }

    /// What a chunk counts for beyond its bytes.
    func surcharge(of chunk: Chunk) -> Int { max(0, leastCost - chunk.count) }

    /// Takes a chunk, if there is room.
    /// - Parameter share: what this outbox may hold now, if that is less than its own limit.
    mutating func append(_ chunk: Chunk, share: Int = .max) -> AppendResult {
        switch phase {
        case .ending, .ended: return .ended
        case .opening, .open: break
        }
        // It would be nothing to write, and nothing to count against the limit.
        guard chunk.count > 0 else { return .queued(wake: false) }
        // One chunk always fits into an empty outbox, whatever its size: it could never be sent otherwise.
        let cost = chunk.count + surcharge(of: chunk)
        guard queuedBytes == 0 || self.cost + cost <= min(limit, share) else { return .full }
        queue(chunk)
        return .queued(wake: schedule())
    }

    /// The writer has the socket now. Returns whether the stream is to be written or ended at once.
    mutating func open() -> Bool {
        if phase == .opening { phase = .open }
        return !waiting.isEmpty || phase != .open
    }

    /// Asks for an orderly end after `last`; bytes beyond the limit are allowed here. Returns whether to wake the writer.
    mutating func end(after last: Chunk?) -> Bool {
        switch phase {
        case .ending, .ended: return false
        case .opening, .open:
            if let last, last.count > 0 { queue(last) }
            let wake = schedule()
            phase = .ending
            return wake
        }
    }

    /// Moves what waits to the writer.
    mutating func take(into sending: inout [Chunk]) {
        isScheduled = false
        if sending.isEmpty {
            swap(&sending, &waiting)
        } else {
            sending.append(contentsOf: waiting)
            waiting.removeAll(keepingCapacity: true)
        }
        if waiting.capacity > Self.keptPlaces { waiting = [] }
    }

    /// The kernel took that many bytes, and with them the last of chunks that counted for so much more. Returns whom to
    /// tell that there is room again.
    mutating func sent(_ count: Int, surcharge: Int) -> [@Sendable () -> Void] {
        // It may have been cut while the kernel took them.
        guard phase != .ended else { return [] }
        queuedBytes -= count
        self.surcharge -= surcharge
        guard !waiters.isEmpty else { return [] }
        let cost = cost
        let told = waiters.filter { cost <= $0.threshold }
        waiters.removeAll { cost <= $0.threshold }
        return told.map(\.tell)
    }

    /// Registers for the time when `room` more bytes fit and next to nothing waits. Returns false if that is now.
    ///
    /// What waits makes a client that catches up no faster: its socket's buffer holds enough. It only has more threads work
    /// for it at once, and those who listen live wait for processors meanwhile.
    /// - Parameter share: as in ``append(_:share:)``.
    mutating func wait(forRoom room: Int, share: Int = .max, _ tell: @escaping @Sendable () -> Void) -> Bool {
        let limit = min(limit, share)
        let threshold = max(0, min(limit / Self.refill, limit - room))
        guard phase == .opening || phase == .open, cost > threshold else { return false }
        waiters.append(Waiter(threshold: threshold, tell: tell))
        return true
    }

    /// The socket is gone, or nothing more is written to it. Returns whom to tell: a wait for room is over too.
    ///
    /// - Parameter inOrder: whether everything up to an orderly end was written.
    mutating func close(inOrder: Bool) -> [@Sendable () -> Void] {
        if phase != .ended { endedInOrder = inOrder }
        phase = .ended
        waiting = []
        queuedBytes = 0
        surcharge = 0
        defer { waiters = [] }
        return waiters.map(\.tell)
    }

    private var cost: Int { queuedBytes + surcharge }

    private mutating func queue(_ chunk: Chunk) {
        queuedBytes += chunk.count
        surcharge += surcharge(of: chunk)
        waiting.append(chunk)
    }

    private mutating func schedule() -> Bool {
        guard phase == .open, !isScheduled else { return false }
        isScheduled = true
        return true
    }
}
