import Locking
import Posix
import Synchronization

/// Commits what waits in groups, then calls the followers, then acknowledges, so that the whole hub hears one sequence. One
/// thread at a time does so: the log's own, or a guest, who finds that thread at rest (``together(_:)``). Followers and
/// acknowledgements run there, and no lock is held while they do.
///
/// Everything it owns ends with it: dropping the log lets it write what waits, and then the thread returns.
final class Sequencer: Sendable {
    typealias Follower = @Sendable (Commit) -> Void

    private let queue: Lock<GroupCommit<WriteRequest>>
    private let followers = Lock<[Follower]>([])
    private let newest: Atomic<Int64>

    /// Signalled once for each time the state machine says that the writer sleeps and must be woken: a post that finds
    /// the writer at work costs no system call.
    private let wakeUp = Semaphore()

    /// What guests commit with; nil if none are let in.
    private let guests = Lock<LogWriter?>(nil)

    /// How many groups a guest commits before it leaves the rest to the log's thread: others may bring more for as long as
    /// it goes on.
    private static let groupsOfGuest = 4

    init(limits: SQLiteEventLog.Limits, tail: Int64) {
        queue = Lock(GroupCommit(limits: limits))
        newest = Atomic(tail)
    }

    /// The position of the newest committed event.
    var tail: Position { Position(newest.load(ordering: .acquiring)) }

    /// Positions up to here were given to events, which a copy may never have had.
    func moveTail(to position: Position) { _ = newest.max(position.rawValue, ordering: .releasing) }

    var queuedBytes: Int { queue.withLock { $0.waitingBytes } }

    /// Starts the thread.
    /// - Parameter hasGuests: whether others may commit, too: not where a commit waits for the disk.
    /// - Parameter close: closes all; called once, on the thread and as its last act.
    func start(_ writer: LogWriter, hasGuests: Bool, close: @escaping @Sendable () -> Void) {
        if hasGuests { guests.withLock { $0 = writer } }
        Thread.start(name: "clarion-log") { [self] in
            run(writer)
            guests.withLock { $0 = nil }
            writer.finish()
            close()
            for closer in queue.withLock({ $0.finished() }) { closer() }
        }
    }

    /// Runs a body, and commits what it hands in as one group on this thread, if the log's thread rests and need not be
    /// waited for by a disk; otherwise that thread does.
    func together(_ body: () -> Void) {
        guard let writer = guests.withLock({ $0 }), queue.withLock({ $0.lend() }) else { return body() }
        body()
        var groups = 0
        while groups < Self.groupsOfGuest, let group = queue.withLock({ $0.nextForGuest() }) {
            commit(group, with: writer)
            groups += 1
        }
        let mustClearUp = writer.hasLongWork
        if queue.withLock({ $0.giveBack(mustClearUp: mustClearUp) }) { wakeUp.signal() }
    }

    /// Hands in a write; a refusal is acknowledged on this thread, before this returns.
    ///
    /// - Parameter hasLowPriority: whether it is done when no other waits, or after a few others; then it is not bounded.
    func enqueue(_ request: WriteRequest, isBounded: Bool, hasLowPriority: Bool = false) {
        let events = request.events
        let bytes = request.bytes
        let admission = queue.withLock {
            hasLowPriority
                ? $0.enqueueLowPriority(request, bytes: bytes)
                : $0.enqueue(request, events: events, bytes: bytes, isBounded: isBounded)
        }
        switch admission {
        case .queued(wakingWriter: true): wakeUp.signal()
        case .queued(wakingWriter: false): break
        case .overloaded: request.fail(.overloaded)
        case .closed: request.fail(.isClosed)
        }
    }

    /// Adds a follower from the next commit on.
    func follow(_ follower: @escaping Follower) { followers.withLock { $0.append(follower) } }

    /// Takes no more writes; calls back when what waits is written and all is closed.
    func close(_ closer: @escaping @Sendable () -> Void) {
        switch queue.withLock({ $0.close(closer) }) {
        case true?: wakeUp.signal()
        case false?: break
        case nil: closer()
        }
    }

    private func run(_ writer: LogWriter) {
        var pace = WriterPace()
        while true {
            switch queue.withLock({ $0.next(isIdle: pace.isIdle) }) {
            case .commit(let group):
                commit(group, with: writer)
                clearUp(writer)
                pace.worked()
            case .clearUp:
                clearUp(writer)
                pace.worked()
            case .wait: pace.waited(WriterPace.longestWait, wasWoken: wakeUp.wait(atMost: WriterPace.longestWait))
            case .idle(let hasLowPriority):
                // Also without posts there is history to remove when it has become too old.
                switch pace.next(hasLowPriority: hasLowPriority, maintainingAfter: writer.maintenanceDelay) {
                case .maintain:
                    writer.maintain(isIdle: true)
                    pace.worked()
                case .wait(let duration):
                    guard queue.withLock({ $0.rest(hasLowPriority: hasLowPriority) }) else { continue }
                    pace.waited(duration, wasWoken: wakeUp.wait(atMost: duration))
                }
            case .finish: return
            }
        }
    }

    private func commit(_ group: [WriteRequest], with writer: LogWriter) {
        let began = ContinuousClock.now
        switch writer.commit(group) {
        case .success(let committed):
            if let last = committed.events.last {
                newest.store(last.position.rawValue, ordering: .releasing)
                let commit = Commit(events: committed.events, duration: ContinuousClock.now - began)
                for follower in followers.withLock({ $0 }) { follower(commit) }
            }
            acknowledge(group, committed)
        case .failure(let error):
            for request in group { request.fail(error) }
        }
    }

    /// After a commit, also one that failed: it may make space for the next, also while posts that are refused do not cease.
    private func clearUp(_ writer: LogWriter) {
        writer.finishCommit()
        writer.maintain(isIdle: false)
    }

    private func acknowledge(_ group: [WriteRequest], _ committed: LogWriter.CommittedGroup) {
        for (request, result) in zip(group, committed.results) {
            switch result {
            case .failure(let error): request.fail(error)
            case .success(.changed(let announce)): announce()
            case .success(.appended(let receipt)):
                if case .append(_, _, _, let acknowledge) = request { acknowledge(.success(receipt)) }
            }
        }
    }
}
