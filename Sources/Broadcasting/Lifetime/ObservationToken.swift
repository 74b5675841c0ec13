import Locking

/// Keeps a registration alive: it ends when the token is cancelled or released.
///
/// Stored in the observer itself it ends the registration in the moment the observer goes.
public final class ObservationToken: Sendable {
    private let hook: Lock<DeinitHook?>

    init(_ end: @escaping @Sendable () -> Void) {
        hook = Lock(DeinitHook(end))
    }

    var isCancelled: Bool { hook.withLock { $0 == nil } }

    /// Ends the registration now. Calling it again does nothing.
    public func cancel() {
        // The hook is released, and so runs, when the lock is free again.
        _ = hook.withLock { hook in
            defer { hook = nil }
            return hook
        }
    }
}
