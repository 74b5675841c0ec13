public import Synchronization

/// A `Mutex` whose every hand-over the Thread Sanitizer can see.
///
/// On Linux a contended `Mutex` is handed over by the kernel (futex(2), `FUTEX_UNLOCK_PI` writes the next owner into the
/// lock word), which the sanitizer does not notice, so it reports races between sections that the mutex does separate.
/// Here each section also begins with an acquiring load of what the one before stored with release: two plain moves on
/// x86-64, and nothing that the mutex does not guarantee already.
public struct Lock<State>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<State>
    @usableFromInline let handOver = Atomic(false)

    /// An unlocked one.
    @inlinable
    public init(_ state: consuming sending State) {
        mutex = Mutex(state)
    }

    /// Runs a closure with the state, alone. It must not call out: see the rules of who uses the lock.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { state throws(Failure) in
            _ = handOver.load(ordering: .acquiring)
            defer { handOver.store(true, ordering: .releasing) }
            return try body(&state)
        }
    }
}
