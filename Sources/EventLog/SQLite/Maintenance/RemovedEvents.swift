import Locking

/// The events that retention, or the deletion of their topic, has removed, for whoever is to remove them elsewhere. Only a copy
/// notes them.
package final class RemovedEvents: Sendable {
    package struct Removed: Sendable {
        /// Nil if it was removed before, and now its key is forgotten, too.
        package let topic: Topic?
        package let position: Position
        /// Whether it is to be kept elsewhere until its key is forgotten.
        package let isKept: Bool
    }

    private struct State {
        /// Of the transaction that is being written.
        var written: [Removed] = []
        var committed: [Removed] = []
    }

    private let state = Lock(State())

    func note(_ position: Int64, of topic: Topic?, isKept: Bool = false) {
        state.withLock { $0.written.append(Removed(topic: topic, position: Position(position), isKept: isKept)) }
    }

    /// Takes out those whose removal was committed.
    package func take() -> [Removed] {
        state.withLock { state in
            defer { state.committed = [] }
            return state.committed
        }
    }

    var mark: Int { state.withLock { $0.written.count } }

    func goBack(to mark: Int) { state.withLock { $0.written.removeLast($0.written.count - mark) } }

    func commit() {
        state.withLock { state in
            if state.written.isEmpty { return }
            state.committed += state.written
            state.written = []
        }
    }
}
