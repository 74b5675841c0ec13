import Synchronization

/// What observers are known as where a design wants a protocol.
protocol Counting: AnyObject, Sendable {
    func count()
}

/// The observer of all rows: its work is one call of a method that adds one.
final class Counter: Counting {
    private let number = Atomic(0)

    var total: Int { number.load(ordering: .relaxed) }

    /// Loads and stores by two plain moves: the measured thread is the only one that counts, or nobody reads the total.
    @inline(never)
    func count() { number.store(total &+ 1, ordering: .relaxed) }
}
