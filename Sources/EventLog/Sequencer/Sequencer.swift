import Locking
import Posix
import Synchronization

/// The log's one thread: it commits what waits in groups, then tells the followers, then acknowledges, so that the whole
/// hub hears one sequence. Followers and acknowledgements run here, and no lock is held while they do.
///
/// Everything it owns ends with it: dropping the log lets it write what waits, and then the thread returns.
final class Sequencer: Sendable {
    typealias Follower = @Sendable (Commit) -> Void

    private let queue: Lock<GroupCommit<WriteRequest>>
    private let followers = Lock<[Follower]>([])
    private let newest: Atomic<Int64>

    /// How long the writer sleeps at most before it looks for history that is too old.
    private static let longWait = Duration.milliseconds(500)

    /// How long the writer sleeps before it does what has time.
    private static let breath = Duration.microseconds(500)

    /// How long no post must have come before maintenance that has time is done.
    private static let shortWait = Duration.milliseconds(5)

    /// Signalled once for each time the state machine says that the writer sleeps and must be woken: a post that finds
    /// the writer at work costs no system call.
    private let wakeUp = Semaphore()

    init(limits: GroupCommit<WriteRequest>.Limits, tail: Int64) {
        queue = Lock(GroupCommit(limits: limits))
        newest = Atomic(tail)
    }

    /// The position of the newest committed event.
    var tail: Position { Position(newest.load(ordering: .acquiring)) }

    /// Bytes that wait to be written.
    var queuedBytes: Int { queue.withLock { $0.waitingBytes } }

    /// Starts the thread.
    /// - Parameter close: called once, on the thread and as its last act, with what must be called when all is closed.
    func start(_ writer: LogWriter, close: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        Thread.start(name: "clarion-log") { [self] in
            run(writer)
            writer.finish()
            close { [self] in
                for closer in queue.withLock({ $0.finished() }) { closer() }
            }
        }
    }

    /// Hands in a write; a refusal is told on this thread, before this returns.
    ///
    /// - Parameter hasTime: whether it is done when no other waits, or after a few others; then it is not bounded.
    func enqueue(_ request: WriteRequest, isBounded: Bool, hasTime: Bool = false) {
        let events = request.events
        let bytes = request.bytes
        let admission = queue.withLock {
            hasTime
                ? $0.enqueuePatient(request, bytes: bytes)
                : $0.enqueue(request, events: events, bytes: bytes, isBounded: isBounded)
        }
        switch admission {
        case .queued(wakingWriter: true): wakeUp.signal()
        case .queued(wakingWriter: false): break
        case .overloaded:
            request.fail(EventLogError(code: EventLogError.overloaded, message: "Too much is waiting to be written."))
        case .closed: request.fail(.isClosed)
        }
    }

    /// Adds a follower from the next commit on.
    func follow(_ follower: @escaping Follower) {
        followers.withLock { $0.append(follower) }
    }

    /// Takes no more writes; calls back when what waits is written and all is closed.
    func close(_ closer: @escaping @Sendable () -> Void) {
        switch queue.withLock({ $0.close(closer) }) {
        case true?: wakeUp.signal()
        case false?: break
        case nil: closer()
        }
    }

    private func run(_ writer: LogWriter) {
        var isCalm = false
        // Since the last post.
        var hasBreathed = false
        while true {
            let step = queue.withLock { $0.next(isCalm: isCalm) }
            isCalm = false
            switch step {
            case .commit(let group):
                commit(group, with: writer)
                if group.contains(where: \.isPost) { hasBreathed = false }
            case .breathe:
                isCalm = !wakeUp.wait(atMost: Self.breath)
                hasBreathed = isCalm
            case .sleep:
                idle(writer, hasBreathed: hasBreathed)
            case .finish: return
            }
        }
    }

    /// Sleeps until woken, or takes a step of maintenance if one is due and no post comes: also without posts there is
    /// history to remove when it has become too old.
    private func idle(_ writer: LogWriter, hasBreathed: Bool) {
        if writer.deferral != .few, !writer.maintenanceFailed {
            // Not at once: those that this thread has just woken may be waiting for its processor. And not after what had
            // time: then the next post may not be far.
            let pause = hasBreathed ? Self.shortWait : Self.breath
            if !wakeUp.wait(atMost: pause) {
                writer.writeOldestDeferred { queue.withLock { $0.isAwaited } }
            }
            return
        }
        switch writer.leisure {
        case .work: break
        case .shortWait: if wakeUp.wait(atMost: Self.shortWait) { return }
        case .longWait:
            if writer.memory.deferred.count > 0, !writer.maintenanceFailed {
                if !wakeUp.wait(atMost: Self.shortWait) { writer.writeOldestDeferred() }
                return
            }
            if wakeUp.wait(atMost: Self.longWait) { return }
        }
        writer.maintain(isIdle: true)
    }

    private func commit(_ group: [WriteRequest], with writer: LogWriter) {
        let began = ContinuousClock.now
        switch writer.commit(group) {
        case .success(let committed):
            if let last = committed.events.last {
                newest.store(last.position.rawValue, ordering: .releasing)
                let commit = Commit(
                    events: committed.events,
                    deliveries: committed.deliveries,
                    duration: ContinuousClock.now - began
                )
                for follower in followers.withLock({ $0 }) { follower(commit) }
            }
            acknowledge(group, committed)
            if writer.deferral == .tooMany { writer.writeOldestDeferred() }
            writer.tidy()
            writer.maintain(isIdle: false)
        case .failure(let error):
            for request in group { request.fail(error) }
            writer.tidy()
            // It may make room for the next, also while posts that are refused do not cease.
            writer.maintain(isIdle: false)
        }
    }

    private func acknowledge(_ group: [WriteRequest], _ committed: LogWriter.CommittedGroup) {
        for (request, result) in zip(group, committed.results) {
            switch (request, result) {
            case (.append(_, _, let acknowledge), .append(let result)): acknowledge(result)
            case (.change, .change(.success(let announce))): announce()
            case (.change(let change), .change(.failure(let error))): change.fail(error)
            default: break  // never: each request has a result of its kind
            }
        }
    }
}
