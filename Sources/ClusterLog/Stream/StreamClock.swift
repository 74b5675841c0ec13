import EventLog
import Notation
import Synchronization

/// The time of day by the servers' clock: by it messages are dated, and so it says when a delivery is due and an event too old.
/// The clock of a node's machine has no part in it, which may be set to another time than the others'.
final class StreamClock: Sendable {
    /// How far the servers' time is ahead of how long some fixed moment ago is, in milliseconds.
    private let lead: Atomic<Int64>
    private let elapsed: @Sendable () -> Duration

    /// - Parameter elapsed: how long some fixed moment ago is; it passes also while the machine is suspended.
    init(elapsed: @escaping @Sendable () -> Duration = { [start = ContinuousClock.now] in .now - start }) {
        self.elapsed = elapsed
        lead = Atomic(Timestamp.now().milliseconds - elapsed().milliseconds)
    }

    var now: Timestamp {
        Timestamp(milliseconds: lead.load(ordering: .relaxed) &+ elapsed().milliseconds)
    }

    /// Asks the servers. Nothing is due later by this clock than by theirs: what the way to them takes, it is ahead.
    func set(_ ask: () throws -> Timestamp) rethrows {
        let asked = elapsed().milliseconds
        lead.store(try ask().milliseconds &- asked, ordering: .relaxed)
    }
}
