/// Decides when a message that says nothing is written for those who ask whether the cluster takes what is written: one at a
/// time, whoever asks meanwhile shares it, and what one has shown is known for a second. Pure.
struct ProbeTurns<Asker> {
    /// What an answer has to be worth.
    enum Question {
        /// It may be as old as ``memory``.
        case recent
        /// It is of a message that was written after a moment.
        case since(ContinuousClock.Instant)
    }

    enum Step {
        /// It is known: the place of the message that was written last.
        case tell(UInt64)
        /// A message is to be written, and ``end(_:)`` told of it.
        case write
        /// One that is under way, or the one after it, will tell.
        case wait
    }

    private enum State {
        case idle
        /// - Parameters:
        ///   - askers: whom the message under way will tell.
        ///   - next: whom only the one after it can.
        case writing(since: ContinuousClock.Instant, askers: [Asker], next: [Asker])
    }

    /// For how long it is known that the cluster took what was written, from when that began.
    static var memory: Duration { .seconds(1) }

    private var state = State.idle
    private var known: (sequence: UInt64, since: ContinuousClock.Instant)?

    /// Takes in who asks. It is told by ``Step/tell(_:)``, or by an ``end(_:at:)``.
    mutating func ask(_ question: Question, _ asker: Asker, at now: ContinuousClock.Instant) -> Step {
        guard case .writing(let since, let askers, let next) = state else {
            if let known, isEnough(known.since, question, at: now) { return .tell(known.sequence) }
            state = .writing(since: now, askers: [asker], next: [])
            return .write
        }
        state =
            if case .since(let moment) = question, moment > since {
                .writing(since: since, askers: askers, next: next + [asker])
            } else {
                .writing(since: since, askers: askers + [asker], next: next)
            }
        return .wait
    }

    private func isEnough(
        _ begin: ContinuousClock.Instant,
        _ question: Question,
        at now: ContinuousClock.Instant
    ) -> Bool {
        switch question {
        case .recent: now - begin < Self.memory
        case .since(let moment): begin >= moment
        }
    }

    /// Takes in what became of the message under way.
    /// - Parameter sequence: its place; nil if it was not stored, as far as is known.
    /// - Returns: whom that tells, and whether another one is to be written.
    mutating func end(_ sequence: UInt64?, at now: ContinuousClock.Instant) -> (told: [Asker], mustWrite: Bool) {
        guard case .writing(let since, let askers, let next) = state else { return ([], false) }
        known = sequence.map { ($0, since) }
        state = next.isEmpty ? .idle : .writing(since: now, askers: next, next: [])
        return (askers, !next.isEmpty)
    }
}
