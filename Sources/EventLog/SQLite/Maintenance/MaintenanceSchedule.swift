/// When what is kept no longer is removed, and how much of it at a time: a pure state machine, held by the writer.
///
/// Every commit says how many rows it wrote. While posts never cease a step comes after each ``busyStep`` rows, and may
/// touch half as many again as were written, so that removing keeps up with posting. If all history is kept there is
/// little to do, and a step comes after ``countingStep`` rows. On an idle log one step follows the other until nothing is
/// due.
struct MaintenanceSchedule {
    /// What is done beside trimming topics; of what is due, one in each step, in turn.
    enum Chore: Int, CaseIterable {
        /// Deleting rows of topics that were deleted.
        case purgeTopics
        /// Deleting deliveries of observers that were taken out.
        case purgeObservers
        /// Moving up the cursors of observers that have nothing to do.
        case moveCursors
        /// Deleting rows of topics that have nothing any more.
        case forgetTopics
        /// Looking at all topics for events that are too old.
        case inspect
        /// Forgetting idempotency keys.
        case forgetKeys
        /// Giving free pages back to the file system.
        case giveBack
    }

    /// The rows after which a step comes while posts do not cease.
    static let busyStep = 64

    /// The rows after which a step comes that only brings counters up to date.
    static let countingStep = 4_096

    /// The rows that a step on an idle log touches: about 2 ms, which is what a post may have to wait for it.
    static let idleStep = 256

    /// The events after which the cursors of observers that have nothing to do are moved up: what a restart looks through
    /// for each of them, at most.
    static let cursorStep = 4_096

    /// The bytes of data that cost about as much to write and to remove as another row.
    static let bytesPerRow = 16_384

    /// The milliseconds from one look for keys that are too old to the next.
    static let forgettingPause: Int64 = 60_000

    var retention: RetentionSweep
    var hasUnpurgedTopics = true
    var hasUnpurgedObservers = true
    /// Observers whose cursors are to be moved up, by their ids: a slice, since what a step takes from it while the schedule as it
    /// was is kept would copy an array.
    var cursors: ArraySlice<ObserverID> = []
    /// Whether there may be many topics that have nothing any more, others than a round under way sees.
    var mayHaveGoneTopics = true
    /// The last of them that the round under way has looked at; nil between rounds.
    var goneTopicsSeen: (removal: Int64, id: Int64)?
    var mayHaveFreePages = true

    private var written = 0
    /// The events that were committed since all cursors had been looked at; not told by positions, of which a copy leaves most out.
    private var passed = MaintenanceSchedule.cursorStep
    private var forgetting = Deadline()
    private var lastChore = 0

    init(defaults: Retention) { retention = RetentionSweep(defaults: defaults) }

    mutating func committed(rows: Int, events: Int = 0) {
        written += rows
        passed += events
    }

    /// Whether nothing was committed since the last step.
    var hasWrittenNothing: Bool { written == 0 }

    /// Whether a step on an idle log would find something to do.
    func isDue(at now: Timestamp) -> Bool { written > 0 || isRemovalDue(isIdle: true, at: now) }

    /// Whether something is to be removed, or looked for.
    func isRemovalDue(isIdle: Bool, at now: Timestamp) -> Bool {
        retention.isOverdue(isIdle: isIdle)
            || Chore.allCases.contains { isDue($0, at: now) && ($0 != .giveBack || isIdle) }
    }

    /// Whether so much was written that a step comes although posts do not cease.
    func isStepDue(at now: Timestamp) -> Bool {
        written >= Self.countingStep
            || written >= Self.busyStep && (retention.mayBound || isRemovalDue(isIdle: false, at: now))
    }

    /// Begins a step.
    /// - Returns: how many rows it may touch; nil if none is due.
    mutating func begin(isIdle: Bool, at now: Timestamp) -> Int? {
        guard isIdle ? isDue(at: now) : isStepDue(at: now) else { return nil }
        defer { written = 0 }
        return max(isIdle ? Self.idleStep : Self.busyStep, written + written / 2)
    }

    /// The chore whose turn it is among those that are due.
    /// - Parameter mayGiveBack: while posts do not cease, free pages are for them.
    mutating func nextChore(mayGiveBack: Bool, at now: Timestamp) -> Chore? {
        for distance in 1...Chore.allCases.count {
            let next = (lastChore + distance) % Chore.allCases.count
            guard let chore = Chore(rawValue: next), isDue(chore, at: now), chore != .giveBack || mayGiveBack else {
                continue
            }
            lastChore = next
            return chore
        }
        return nil
    }

    /// Whether so much was posted since that all cursors are to be looked at again.
    var wantsCursors: Bool { cursors.isEmpty && passed >= Self.cursorStep }

    /// All cursors have been looked at.
    mutating func cursorsMoved() { passed = 0 }

    /// No key is left that is too old.
    mutating func keysForgotten(at now: Timestamp) { forgetting.make(after: Self.forgettingPause, from: now) }

    private func isDue(_ chore: Chore, at now: Timestamp) -> Bool {
        switch chore {
        case .purgeTopics: hasUnpurgedTopics
        case .purgeObservers: hasUnpurgedObservers
        case .moveCursors: !cursors.isEmpty
        case .forgetTopics: mayHaveGoneTopics || goneTopicsSeen != nil
        case .inspect: retention.nextInspection(at: now) != nil
        case .forgetKeys: forgetting.hasCome(at: now)
        case .giveBack: mayHaveFreePages
        }
    }
}
