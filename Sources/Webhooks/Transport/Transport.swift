import Locking

/// Makes attempts on several threads: some are for endpoints that are steady, one is for all others, whose handshakes would
/// hold those up (``Steadiness``).
final class Transport: Sendable {
    /// Is given the attempts that have ended, on the threads for steady endpoints. ``call()`` has it called if need be without
    /// any.
    typealias Handler = TransportThread.Handler

    let options: TransportOptions
    private let steady: [TransportThread]
    private let others: TransportThread
    /// What ended on the others' thread. It only leaves it here: a thread that stands back so far has no lock for longer than
    /// a moment, or who does not stand back would wait for it.
    private let endedAtOthers = Lock<[TransportResult]>([])

    /// A handshake of TLS takes a processor for about a millisecond. Who posts, commits or delivers to a steady endpoint
    /// meanwhile does not wait for its end.
    private static let niceness: Int32 = 10
    /// All threads together could keep every processor busy. Those beyond the first only have more to send of what there is
    /// much of, and who posts does not wait for that either.
    private static let nicenessBeyondFirst: Int32 = 5

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
        let more = (1..<options.steadyThreads).map { _ in
            thread("webhooks-more", niceness: Self.nicenessBeyondFirst, keeping: options.keptBeyondFirst)
        }
        steady = [thread("webhooks", niceness: 0, keeping: options.keptConnections)] + more
        others = thread("webhooks-others", niceness: Self.niceness, keeping: options.keptConnections)
    }

    /// Starts the threads. May be called once.
    func start(handler: @escaping Handler) {
        steady[0].start { [self] ended, isCalled in
            let rest = endedAtOthers.withLock { ended in
                defer { ended = [] }
                return ended
            }
            handler(rest.isEmpty ? ended : ended + rest, isCalled)
        }
        for thread in steady.dropFirst() { thread.start(handler: handler) }
        others.start { [self] ended, _ in
            guard !ended.isEmpty else { return }
            endedAtOthers.withLock { $0 += ended }
            call()
        }
    }

    /// Hands over attempts to begin, in order on each thread, and gives up on some that were submitted earlier.
    ///
    /// - Parameter callAt: when to call the handler if no attempt ends before, by the store's time; nil leaves it as it is.
    func submit(_ requests: [TransportRequest] = [], aborting tokens: [UInt64] = [], callAt: Int64? = nil) {
        for (number, thread) in steady.enumerated() {
            // The clock is the thread that nothing holds up.
            submit(requests, to: thread, .steady(number), aborting: tokens, callAt: number == 0 ? callAt : nil)
        }
        submit(requests, to: others, .others, aborting: tokens)
    }

    private func submit(
        _ requests: [TransportRequest],
        to thread: TransportThread,
        _ name: SendingThread,
        aborting tokens: [UInt64],
        callAt: Int64? = nil
    ) {
        guard callAt != nil || !tokens.isEmpty || requests.contains(where: { $0.thread == name }) else { return }
        thread.submit(requests.lazy.filter { $0.thread == name }, aborting: tokens, callAt: callAt)
    }

    /// Has the handler called soon, on the first thread.
    func call() { steady[0].call() }

    /// Aborts what is under way and ends the threads; returns when they have freed everything.
    func stop() async {
        await others.stop()
        // What ended at the others is handled by the first.
        for thread in steady.reversed() { await thread.stop() }
    }
}
