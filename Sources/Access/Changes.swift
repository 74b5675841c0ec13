import Locking

/// Whoever wants to know that what credentials are worth has changed.
final class Changes: Sendable {
    private let observers = Lock<[@Sendable () -> Void]>([])

    func observe(_ body: @escaping @Sendable () -> Void) {
        observers.withLock { $0.append(body) }
    }

    /// Calls everyone, in the order of their coming, with no lock held.
    func announce() {
        for observer in observers.withLock({ $0 }) { observer() }
    }
}
