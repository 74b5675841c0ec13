import Locking

/// Makes attempts on several threads. The first is for endpoints that are steady, with further ones for those that have much
/// under way (``LaneThreads``); one is for all others, whose handshakes would hold those up (``Steadiness``).
final class Transport: Sendable {
    /// Is given the attempts that have ended, on one thread, always the same. ``call()`` has it called if need be without any.
    typealias Handler = TransportThread.Handler

    let options: TransportOptions
    private let first: TransportThread
    /// The further threads for steady endpoints.
    private let more: [TransportThread]
    private let others: TransportThread
    /// What ended on another thread than the first. They only leave it here: a thread that stands back has no lock for longer
    /// than a moment, or who does not stand back would wait for it.
    private let endedElsewhere = Lock<[TransportResult]>([])

    /// A handshake of TLS takes a processor for about a millisecond, and all threads together could keep every processor busy.
    /// Who posts, commits or delivers to a steady endpoint meanwhile does not wait for the end of that.
    private static let niceness: Int32 = 10

    init(options: TransportOptions, store: any DeliveryStore) {
        self.options = options
        func thread(_ name: String, niceness: Int32, keeping connections: Int) -> TransportThread {
            TransportThread(
                name: name,
                niceness: niceness,
                keptConnections: connections,
                options: options,
                store: store
            )
        }
        first = thread("webhooks", niceness: 0, keeping: options.keptConnections)
        more = (1..<options.steadyThreads).map { _ in
            thread("webhooks-more", niceness: Self.niceness, keeping: options.keptBeyondFirst)
        }
        others = thread("webhooks-others", niceness: Self.niceness, keeping: options.keptConnections)
    }

    /// Starts the threads. May be called once.
    func start(handler: @escaping Handler) {
        first.start { [self] ended, isCalled in
            let rest = endedElsewhere.withLock { ended in
                defer { ended = [] }
                return ended
            }
            handler(rest.isEmpty ? ended : ended + rest, isCalled)
        }
        for thread in more + [others] {
            thread.start { [self] ended, _ in
                guard !ended.isEmpty else { return }
                endedElsewhere.withLock { $0 += ended }
                call()
            }
        }
    }

    /// Hands over attempts to begin, in order on each thread, and gives up on some that were submitted earlier.
    ///
    /// - Parameter callAt: when to call the handler if no attempt ends before, by the store's time; nil leaves it as it is.
    func submit(_ requests: [TransportRequest] = [], aborting tokens: [UInt64] = [], callAt: Int64? = nil) {
        // The clock is the thread that nothing holds up.
        first.submit(requests.lazy.filter { $0.thread == .steady(0) }, aborting: tokens, callAt: callAt)
        for (number, thread) in more.enumerated() {
            submit(requests, to: thread, .steady(number + 1), aborting: tokens)
        }
        submit(requests, to: others, .others, aborting: tokens)
    }

    private func submit(
        _ requests: [TransportRequest],
        to thread: TransportThread,
        _ name: SendingThread,
        aborting tokens: [UInt64]
    ) {
        guard !tokens.isEmpty || requests.contains(where: { $0.thread == name }) else { return }
        thread.submit(requests.lazy.filter { $0.thread == name }, aborting: tokens, callAt: nil)
    }

    /// Has the handler called soon, on the first thread.
    func call() { first.call() }

    /// Aborts what is under way and ends the threads; returns when they have freed everything.
    func stop() async {
        for thread in more + [others] { await thread.stop() }
        // What ended there is handled here.
        await first.stop()
    }
}
