import EventLog
import Locking
import Posix

/// Shares the webhooks out among the nodes of the cluster: performs what a ``LeaseHolder`` decides.
final class LeaseKeeper: Sendable {
    private let publisher: Publisher
    private let subjects: Subjects

    private struct State {
        var holder: LeaseHolder
        var followers: [@Sendable (_ grace: Duration) async -> Void] = []
    }

    private let state: Lock<State>
    /// Signalled when there is something to decide.
    private let news = Semaphore()

    /// How long attempts under way may take before their part goes to another node, which then makes them once more.
    private static let grace = Duration.seconds(5)
    /// For how long a node that leaves tries to say so.
    private static let longestLeave = Duration.seconds(2)

    init(_ publisher: Publisher, subjects: Subjects, node: NodeID) {
        (self.publisher, self.subjects) = (publisher, subjects)
        state = Lock(State(holder: LeaseHolder(node)))
    }

    /// The parts that this node delivers.
    var duty: Parts {
        state.withLock { $0.holder.isValid(at: .now) ? $0.holder.duty : [] }
    }

    /// What outcomes carry by which ``Fences`` tell whether they count.
    var term: Int64 { state.withLock { $0.holder.term } }

    /// Has a follower called when ``duty`` has changed, now for the first time. It returns when nothing is delivered any
    /// more that is not this node's, and gets how long attempts under way may take until then.
    func follow(_ follower: @escaping @Sendable (_ grace: Duration) async -> Void) {
        state.withLock { $0.followers.append(follower) }
        Task { await follower(.zero) }
    }

    /// The place of the newest leases that count.
    var newest: UInt64 { state.withLock { $0.holder.sequence } }

    /// Takes in what the stream says.
    /// - Returns: whether it counts.
    func take(_ leases: Leases, after before: UInt64, sequence: UInt64) -> Bool {
        defer { news.signal() }
        return state.withLock { $0.holder.take(leases, after: before, sequence: sequence, at: .now) }
    }

    /// Takes in which parts this node was the last to take up, and by which message if it was its own.
    func take(takenUp parts: Parts, term: Int64?) {
        state.withLock { $0.holder.take(takenUp: parts, term: term) }
        news.signal()
    }

    func run(until isStopped: () -> Bool) {
        while !isStopped() {
            perform(state.withLock { $0.holder.turn(at: .now) })
            _ = news.wait(atMost: .milliseconds(50))
        }
    }

    private func perform(_ turn: LeaseHolder.Turn) {
        if turn.isNews || !turn.giveBack.isEmpty { tell(turn) }
        if let (parts, leases) = turn.takeUp {
            publisher.send(
                .takeUp(parts, by: Int64(clamping: leases)),
                to: subjects.changes,
                .change { [self] result in
                    let isTaken = if case .success = result { true } else { false }
                    state.withLock { $0.holder.answerTakingUp(isTaken, at: .now) }
                    news.signal()
                }
            )
        }
        if let (leases, sequence) = turn.ask { ask(leases, after: sequence) }
    }

    private func tell(_ turn: LeaseHolder.Turn) {
        let followers = state.withLock { $0.followers }
        // Beside each other: each one finds what is this node's by then.
        Task { [self] in
            for follower in followers { await follower(turn.hasTime ? Self.grace : .zero) }
            guard !turn.giveBack.isEmpty else { return }
            state.withLock { $0.holder.stop(turn.giveBack) }
            news.signal()
        }
    }

    private func ask(_ leases: Leases, after sequence: UInt64) {
        publisher.send(
            .lease(leases, after: sequence),
            to: subjects.lease,
            .change { [self] result in
                let isTaken = if case .success(.leased(true)) = result { true } else { false }
                state.withLock { $0.holder.answer(isTaken) }
                news.signal()
            }
        )
    }

    /// Gives everything back, so that nobody need wait until it runs out.
    func release() async {
        let followers = state.withLock { state in
            state.holder.leave()
            return state.followers
        }
        for follower in followers { await follower(.zero) }
        state.withLock { $0.holder.stop() }
        news.signal()
        let deadline = ContinuousClock.now + Self.longestLeave
        while publisher.isConnected, state.withLock({ $0.holder.isMember }), ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}
