import Locking
import Notation
import Posix

/// Makes attempts on a thread of its own, which owns the libcurl handles and never waits for anything but sockets.
///
/// Results go to a handler on that thread, in batches; what it submits is begun at once, so that a busy endpoint's next
/// attempt needs no other thread. The handler is also called, without results, when a time has come that it named.
final class TransportThread: Sendable {
    /// What other threads leave for the transport thread.
    private struct Inbox {
        var requests: [TransportRequest] = []
        var aborts: [UInt64] = []
        var isStopping = false
        /// When to call the handler if no attempt ends before, by the store's time.
        var callAt = Int64.max
        /// Whether it is to be called at once.
        var isCalled = false
        /// Until when the thread waits, or is about to, and what wakes it; nil if it does not: then it need not be woken.
        var wait: (until: Int64, wakeUp: WakeUp)?
        var isRunning = false
        var stopWaiters: [CheckedContinuation<Void, Never>] = []

        /// Wakes the thread if it waits.
        mutating func wake() { wait.take()?.wakeUp.wake() }
    }

    /// Is given the attempts that have ended, on this thread, and whether it was called.
    typealias Handler = @Sendable (_ ended: [TransportResult], _ isCalled: Bool) -> Void

    private let inbox = Lock(Inbox())
    private let name: String
    private let niceness: Int32
    private let keptConnections: Int
    private let options: TransportOptions
    private let store: any DeliveryStore

    /// - Parameters:
    ///   - niceness: how far it stands back where processors are wanted by others (nice(2)).
    ///   - keptConnections: how many connections it keeps, busy ones included.
    init(name: String, niceness: Int32, keptConnections: Int, options: TransportOptions, store: any DeliveryStore) {
        (self.name, self.niceness, self.keptConnections) = (name, niceness, keptConnections)
        (self.options, self.store) = (options, store)
    }

    /// Starts the thread, and waits until it has the descriptors that it needs: others might take the last. May be called
    /// once.
    func start(handler: @escaping Handler) {
        inbox.withLock { $0.isRunning = true }
        let isReady = Locking.Semaphore()
        Thread.start(name: name, niceness: niceness) { self.run(handler: handler, isReady) }
        _ = isReady.wait(atMost: .seconds(10))
    }

    /// See ``Transport/submit(_:aborting:callAt:)``; gives up on those that are under way here.
    func submit(_ requests: some Sequence<TransportRequest>, aborting tokens: [UInt64], callAt: Int64?) {
        inbox.withLock { inbox in
            inbox.requests += requests
            inbox.aborts += tokens
            inbox.callAt = callAt ?? inbox.callAt
            let isWork = !inbox.requests.isEmpty || !inbox.aborts.isEmpty
            if isWork || inbox.callAt < inbox.wait?.until ?? .min { inbox.wake() }
        }
    }

    /// Has the handler called soon.
    func call() {
        inbox.withLock { inbox in
            inbox.isCalled = true
            inbox.wake()
        }
    }

    /// Aborts what is under way and ends the thread; returns when it has freed everything.
    func stop() async {
        await withCheckedContinuation { continuation in
            let isStopped = inbox.withLock { inbox in
                guard inbox.isRunning else { return true }
                inbox.isStopping = true
                inbox.stopWaiters.append(continuation)
                inbox.wake()
                return false
            }
            if isStopped { continuation.resume() }
        }
    }

    private func run(handler: Handler, _ isReady: Locking.Semaphore) {
        serve(handler: handler, isReady)
        let waiters = inbox.withLock { inbox in
            inbox.isRunning = false
            return inbox.stopWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func serve(handler: Handler, _ isReady: Locking.Semaphore) {
        guard var loop = TransportLoop(keptConnections: keptConnections, options: options, store: store) else {
            // At start-up, before any delivery: without memory for one handle the program cannot do its work.
            fatalError("libcurl cannot be initialised")
        }
        isReady.signal()
        while takeInbox(into: &loop) {
            let results = loop.turn()
            switch results.isEmpty ? timeToWait(with: loop.wakeUp) : 0 {
            case nil: break
            case 0: handler(results, takeCall())
            case let milliseconds?:
                loop.wait(milliseconds: milliseconds)
                inbox.withLock { $0.wait = nil }
            }
        }
        loop.abortAll()
        handler(loop.turn(), false)
    }

    private func takeCall() -> Bool {
        inbox.withLock { inbox in
            defer { inbox.isCalled = false }
            return inbox.isCalled
        }
    }

    /// Begins and aborts what was left; `false` when it is time to stop.
    private func takeInbox(into loop: inout TransportLoop) -> Bool {
        let (requests, aborts, isStopping) = inbox.withLock { inbox in
            defer {
                inbox.requests.removeAll()
                inbox.aborts.removeAll()
            }
            return (inbox.requests, inbox.aborts, inbox.isStopping)
        }
        loop.begin(requests)
        loop.abort(aborts)
        return !isStopping
    }

    /// For how long there is nothing to do, in milliseconds: announces the wait. Nil if something has come in since the
    /// inbox was emptied.
    private func timeToWait(with wakeUp: WakeUp) -> Int64? {
        let now = store.now
        return inbox.withLock { inbox in
            guard inbox.requests.isEmpty, inbox.aborts.isEmpty, !inbox.isStopping else { return nil }
            let time = inbox.isCalled ? 0 : inbox.callAt.subtractingClamped(now)
            guard time > 0 else { return 0 }
            inbox.wait = (inbox.callAt, wakeUp)
            // A minute at most: waits do not go on while the machine is suspended, and the store's time does.
            return min(time, 60_000)
        }
    }
}
