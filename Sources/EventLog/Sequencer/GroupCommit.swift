import DequeModule

/// Which writes wait, and which of them form the next transaction: the group commit as a pure state machine.
///
/// While one group is being committed the next gathers here, so the cost of a commit is shared by whoever came in the
/// meantime, and a lone write never waits for company. What is of low priority waits for a moment in which nothing else
/// does, but not for long.
///
/// One at a time has the right to commit: the writer, unless the right is lent to a guest, who has something to write and would
/// otherwise have to wake it, or to wait until it has a processor.
///
/// No lock and no I/O: ``Sequencer`` holds it in a `Mutex`, and does what the methods answer after unlocking.
struct GroupCommit<Request: Sendable>: Sendable {
    /// What became of a write that was handed in.
    enum Admission: Equatable {
        /// It waits; the writer must be woken if it sleeps.
        case queued(wakingWriter: Bool)
        /// Too much waits already.
        case overloaded
        /// No more writes are taken.
        case closed
    }

    /// What the writer does next.
    enum Step {
        /// Commit these in one transaction.
        case commit([Request])
        /// Nothing is to be written now. Something of low priority may wait for the writer to be idle.
        case idle(hasLowPriority: Bool)
        /// A guest has left something to do that takes longer than a commit.
        case clearUp
        /// A guest has the right to commit. The writer is woken when it is given back.
        case wait
        /// Nothing waits and nothing will come: close the log.
        case finish
    }

    private struct Entry {
        var request: Request
        var events: Int
        var bytes: Int
    }

    private enum Phase { case open, closing, closed }
    /// One that was woken has yet to look at what it was woken for.
    private enum Writer { case works, woken, waits, sleeps }

    /// The groups after which what is of low priority goes with the next.
    private static var mostPassed: Int { 8 }

    private let limits: SQLiteEventLog.Limits
    /// What waits, in the order of coming.
    private var queue: Deque<Entry> = []
    /// What is of low priority, in the order of coming.
    private var lowPriority: [Entry] = []
    /// How many groups it has let pass.
    private var passed = 0
    /// The bytes of what waits, but for what is of low priority.
    private(set) var waitingBytes = 0
    private var phase = Phase.open
    private var writer = Writer.works
    /// Whether a guest has the right to commit.
    private var isLent = false
    /// Whether the writer is to have it next.
    private var isWriterNext = false
    /// Whether a guest has left something to do.
    private var mustClearUp = false
    private var closers: [@Sendable () -> Void] = []

    init(limits: SQLiteEventLog.Limits) { self.limits = limits }

    /// Takes in a write.
    /// - Parameter isBounded: false for a write whose maker awaits it and so is its own bound; it is never refused as
    ///   too much.
    mutating func enqueue(_ request: Request, events: Int, bytes: Int, isBounded: Bool) -> Admission {
        guard phase == .open else { return .closed }
        // One that nothing waits before would otherwise be told to try again for ever.
        if isBounded, waitingBytes > 0, waitingBytes + bytes > limits.queuedBytes { return .overloaded }
        queue.append(Entry(request: request, events: events, bytes: bytes))
        waitingBytes += bytes
        return .queued(wakingWriter: wakeWriter())
    }

    /// Takes in a write of low priority, whose maker awaits it.
    mutating func enqueueLowPriority(_ request: Request, bytes: Int) -> Admission {
        guard phase == .open else { return .closed }
        lowPriority.append(Entry(request: request, events: 1, bytes: bytes))
        // A writer that waits for this already looks by itself.
        return .queued(wakingWriter: writer == .sleeps && wakeWriter())
    }

    /// Takes out the next group, of at least one write if any waits.
    /// - Parameter isIdle: whether the writer has waited for a moment, and nothing came.
    mutating func next(isIdle: Bool = false) -> Step {
        guard !isLent else {
            isWriterNext = true
            writer = .sleeps
            return .wait
        }
        writer = .works
        isWriterNext = false
        if mustClearUp {
            mustClearUp = false
            return .clearUp
        }
        if isIdle || passed >= Self.mostPassed || phase != .open { takeInLowPriority() }
        if !isEmpty { return .commit(takeGroup()) }
        return phase == .open ? .idle(hasLowPriority: !lowPriority.isEmpty) : .finish
    }

    /// The writer rests, after ``Step/idle(hasLowPriority:)``. Returns false if something has come that it is to see to.
    mutating func rest(hasLowPriority: Bool) -> Bool {
        guard isEmpty, phase == .open, lowPriority.isEmpty || hasLowPriority else { return false }
        writer = lowPriority.isEmpty ? .sleeps : .waits
        return true
    }

    /// Lends the right to commit to a guest, if the writer rests, or was woken just now for no more than what is of low
    /// priority. What is handed in from then on the guest finds.
    mutating func lend() -> Bool {
        guard phase == .open, writer != .works, !isLent, !isWriterNext, !mustClearUp else { return false }
        guard writer != .woken || isEmpty else { return false }
        isLent = true
        return true
    }

    /// Takes out the next group for the guest; nil if nothing waits.
    mutating func nextForGuest() -> [Request]? {
        if passed >= Self.mostPassed { takeInLowPriority() }
        return isEmpty ? nil : takeGroup()
    }

    /// The guest has done what it came for.
    /// - Parameter mustClearUp: whether there is more to do that takes longer than a commit.
    /// - Returns: whether the writer must be woken.
    mutating func giveBack(mustClearUp: Bool) -> Bool {
        isLent = false
        self.mustClearUp = mustClearUp
        let hasLowPriority = writer == .sleeps && !lowPriority.isEmpty
        guard mustClearUp || isWriterNext || hasLowPriority || !isEmpty || phase != .open else { return false }
        return wakeWriter()
    }

    /// Takes no more writes from here on.
    /// - Parameter closer: called by whoever acts on ``finished()``.
    /// - Returns: whether the writer must be woken; nil if all is over already and the closer was not kept.
    mutating func close(_ closer: @escaping @Sendable () -> Void) -> Bool? {
        if phase == .closed { return nil }
        phase = .closing
        closers.append(closer)
        return wakeWriter()
    }

    /// The log is closed.
    /// - Returns: those that waited for it.
    mutating func finished() -> [@Sendable () -> Void] {
        phase = .closed
        defer { closers = [] }
        return closers
    }

    /// Whether nothing waits but for what is of low priority. `isEmpty` of a Deque is not specialised: some 400 instructions.
    private var isEmpty: Bool { queue.count == 0 }

    private mutating func takeInLowPriority() {
        queue.append(contentsOf: lowPriority)
        waitingBytes += lowPriority.reduce(0) { $0 + $1.bytes }
        lowPriority.removeAll(keepingCapacity: true)
        passed = 0
    }

    private mutating func takeGroup() -> [Request] {
        if !lowPriority.isEmpty { passed += 1 }
        var group: [Request] = []
        var (events, bytes) = (0, 0)
        while let entry = queue.first {
            let isFull = events + entry.events > limits.groupEvents || bytes + entry.bytes > limits.groupBytes
            if isFull, !group.isEmpty { break }
            queue.removeFirst()
            group.append(entry.request)
            events += entry.events
            bytes += entry.bytes
        }
        waitingBytes -= bytes
        return group
    }

    private mutating func wakeWriter() -> Bool {
        guard !isLent, writer == .waits || writer == .sleeps else { return false }
        writer = .woken
        return true
    }
}
