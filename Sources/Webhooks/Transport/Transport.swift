import HTTPTransport
import Locking
import Glibc
import Posix

/// Makes attempts on a thread of its own, which owns the libcurl handles and never waits for anything but sockets.
///
/// Results go to a handler on that thread, in batches; what it returns is begun at once, so that a busy endpoint's next
/// attempt needs no other thread.
final class Transport: Sendable {
    typealias Handler = @Sendable ([TransportResult]) -> [TransportRequest]

    /// What other threads leave for the transport thread.
    private struct Inbox {
        var requests: [TransportRequest] = []
        var aborts: [UInt64] = []
        var isStopping = false
        /// Set while the thread lives.
        var wakeUp: WakeUp?
        /// Whether the thread waits, or is about to: only then is a wake-up worth its system call.
        var isWaiting = false
        var isRunning = false
        var stopWaiters: [CheckedContinuation<Void, Never>] = []

        /// Wakes the thread if it waits.
        mutating func wake() {
            guard isWaiting else { return }
            isWaiting = false
            wakeUp?.wake()
        }
    }

    private let inbox = Lock(Inbox())
    let options: TransportOptions
    private let clocks: Clocks

    init(options: TransportOptions, clocks: Clocks) {
        self.options = options
        self.clocks = clocks
    }

    /// Starts the thread. May be called once.
    func start(handler: @escaping Handler) {
        inbox.withLock { $0.isRunning = true }
        Thread.start(name: "webhooks") { self.run(handler: handler) }
    }

    /// Hands over attempts to begin, in order.
    func submit(_ requests: [TransportRequest]) {
        guard !requests.isEmpty else { return }
        inbox.withLock { inbox in
            inbox.requests.append(contentsOf: requests)
            inbox.wake()
        }
    }

    /// Gives up on attempts submitted earlier.
    func abort(_ tokens: [UInt64]) {
        guard !tokens.isEmpty else { return }
        inbox.withLock { inbox in
            inbox.aborts.append(contentsOf: tokens)
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

    private func run(handler: Handler) {
        serve(handler: handler)
        let waiters = inbox.withLock { inbox in
            inbox.isRunning = false
            return inbox.stopWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func serve(handler: Handler) {
        guard var loop = TransportLoop(options: options, clocks: clocks) else {
            // At start-up, before any delivery: without memory for one handle the program cannot do its work.
            fatalError("libcurl cannot be initialised")
        }
        let wakeUp = loop.wakeUp
        inbox.withLock { $0.wakeUp = wakeUp }
        while takeInbox(into: &loop) {
            let results = loop.turn()
            if !results.isEmpty {
                loop.begin(handler(results))
            } else if mayWait() {
                loop.wait()
                inbox.withLock { $0.isWaiting = false }
            }
        }
        inbox.withLock { $0.wakeUp = nil }
        loop.abortAll()
        _ = handler(loop.turn())
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

    /// Announces the wait, unless something has come in since the inbox was emptied.
    private func mayWait() -> Bool {
        inbox.withLock { inbox in
            inbox.isWaiting = inbox.requests.isEmpty && inbox.aborts.isEmpty && !inbox.isStopping
            return inbox.isWaiting
        }
    }
}
