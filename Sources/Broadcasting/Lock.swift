import Synchronization

/// A `Mutex` whose every hand-over the Thread Sanitizer can see.
///
/// On Linux a contended `Mutex` is handed over by the kernel (`FUTEX_UNLOCK_PI` writes the next owner into the lock word), which
/// the sanitizer does not notice, so it reports races between sections that the mutex does separate. Here each section
/// also begins with an acquiring load of what the one before stored with release: two plain moves on x86-64 and nothing
/// that the mutex does not guarantee already.
struct Lock<State>: ~Copyable, Sendable {
    private let mutex: Mutex<State>
    private let handOver = Atomic(false)

    init(_ state: consuming sending State) {
        mutex = Mutex(state)
    }

    /// Runs a closure with the state, alone. It must not call out: see the rules of who uses the lock.
    func withLock<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
        mutex.withLock { state in
            _ = handOver.load(ordering: .acquiring)
            defer { handOver.store(true, ordering: .releasing) }
            return body(&state)
        }
    }
}
