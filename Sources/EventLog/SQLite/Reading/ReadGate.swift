import Dispatch
import Locking

/// Counts the reads under way, so that the database is closed after the last of them and none begins later.
final class ReadGate: Sendable {
    private let isShut = Lock(false)
    private let reads = DispatchGroup()

    /// Lets a read begin; false if it may not.
    func enter() -> Bool {
        isShut.withLock { isShut in
            if !isShut { reads.enter() }
            return !isShut
        }
    }

    func leave() { reads.leave() }

    /// Lets no more reads begin, and waits until none is under way.
    func shut() {
        isShut.withLock { $0 = true }
        reads.wait()
    }
}
