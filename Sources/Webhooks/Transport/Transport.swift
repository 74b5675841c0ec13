import Locking

/// Makes attempts on two threads: one is for endpoints that are steady, the other for all others, whose handshakes would
/// hold those up (``Steadiness``).
final class Transport: Sendable {
    /// Is given the attempts that have ended, on one thread, always the same. ``call()`` has it called if need be without
    /// any.
    typealias Handler = @Sendable (_ ended: [TransportResult], _ isCalled: Bool) -> Void

    let options: TransportOptions
    private let steady: TransportThread
    private let others: TransportThread
    /// What ended on the others' thread. It only leaves it here: a thread that stands back has no lock for longer than a
    /// moment, or who does not stand back would wait for it.
    private let endedAtOthers = Lock<[TransportResult]>([])

    /// A handshake of TLS takes a processor for about a millisecond. Who posts, commits or delivers to a steady endpoint
    /// meanwhile does not wait for its end.
    private static let niceness: Int32 = 10

    init(options: TransportOptions, store: any DeliveryStore) {
        self.options = options
        steady = TransportThread(name: "webhooks", options: options, store: store)
        others = TransportThread(name: "webhooks-others", niceness: Self.niceness, options: options, store: store)
    }

    /// Starts the threads. May be called once.
    func start(handler: @escaping Handler) {
        steady.start { [self] ended, isCalled in
            let rest = endedAtOthers.withLock { ended in
                defer { ended = [] }
                return ended
            }
            handler(rest.isEmpty ? ended : ended + rest, isCalled)
        }
        others.start { [self] ended, _ in
            guard !ended.isEmpty else { return }
            endedAtOthers.withLock { $0 += ended }
            steady.call()
        }
    }

    /// Hands over attempts to begin, in order on each thread, and gives up on some that were submitted earlier.
    ///
    /// - Parameter callAt: when to call the handler if no attempt ends before, by the store's time; nil leaves it as it is.
    func submit(_ requests: [TransportRequest] = [], aborting tokens: [UInt64] = [], callAt: Int64? = nil) {
        // The clock is the thread that no handshake holds up.
        steady.submit(requests.lazy.filter(\.isSteady), aborting: tokens, callAt: callAt)
        others.submit(requests.lazy.filter { !$0.isSteady }, aborting: tokens, callAt: nil)
    }

    /// Has the handler called soon, on the thread that no handshake holds up.
    func call() { steady.call() }

    /// Aborts what is under way and ends the threads; returns when they have freed everything.
    func stop() async {
        // What ends there is handled here.
        await others.stop()
        await steady.stop()
    }
}
