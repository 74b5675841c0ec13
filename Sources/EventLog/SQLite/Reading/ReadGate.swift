import Locking

/// Counts the reads under way, so that the database is closed after the last of them and none begins later.
final class ReadGate: Sendable {
    private struct State {
        var reads = 0
        var isShut = false
        var lastOut: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    /// Lets a read begin; false if it may not.
    func enter() -> Bool {
        state.withLock {
            if !$0.isShut { $0.reads += 1 }
            return !$0.isShut
        }
    }

    /// A read has ended.
    func leave() {
        let lastOut = state.withLock { state -> (@Sendable () -> Void)? in
            state.reads -= 1
            return state.reads == 0 ? state.lastOut.take() : nil
        }
        lastOut?()
    }

    /// Lets no more reads begin, and calls back once when none is under way: on this thread, or that of the last read.
    func shut(_ lastOut: @escaping @Sendable () -> Void) {
        let isEmpty = state.withLock {
            $0.isShut = true
            if $0.reads > 0 { $0.lastOut = lastOut }
            return $0.reads == 0
        }
        if isEmpty { lastOut() }
    }
}
