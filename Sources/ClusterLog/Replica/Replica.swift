import EventLog
import Locking
import Posix
import Synchronization

/// This node's copy of the log: carries out the commands of the stream, one after the other.
final class Replica: Sendable {
    let index: SQLiteEventLog
    private let publisher: Publisher
    private let keeper: LeaseKeeper
    private let node: NodeID
    private let report: @Sendable (String) -> Void

    private struct State {
        var fault: String?
        var heard: ContinuousClock.Instant?
        var last: Delivered?
        var hasAll = false
        /// How many messages were passed over.
        var skipped = 0
        var observerFollowers: [@Sendable (ObserverChange) -> Void] = []
        var deletionFollowers: [@Sendable (Topic) -> Void] = []
    }

    private let state = Lock(State())
    /// What is in the stream, and of which use.
    let settlement = Lock(Settlement())
    /// Of the thread that takes messages.
    private let fences = Lock(Fences())
    /// The newest message that was taken from the stream.
    private let newest = Atomic<UInt64>(0)
    /// How many messages were taken.
    private let commands = Atomic(0)
    /// Appends and outcomes that the copy has not committed yet.
    private let waiting = Atomic(0)

    /// How many of these may wait for the copy before the stream is read on.
    private static let mostWaiting = 4_096

    /// The positions of the events of one message follow each other; those of the next begin at the next multiple.
    static let eventsPerMessage: Int64 = 1 << 20

    /// How positions and times come of a message's place and time. Tests that count both have it otherwise.
    struct Numbering: Sendable {
        var eventsPerMessage = Replica.eventsPerMessage
        var time: @Sendable (Timestamp) -> Timestamp = { $0 }
    }

    private let numbering: Numbering

    init(
        _ index: SQLiteEventLog,
        publisher: Publisher,
        keeper: LeaseKeeper,
        node: NodeID,
        numbering: Numbering,
        report: @escaping @Sendable (String) -> Void
    ) {
        (self.index, self.publisher, self.keeper, self.report) = (index, publisher, keeper, report)
        (self.node, self.numbering) = (node, numbering)
    }

    var epoch: LogEpoch { index.epoch }
    var taken: UInt64 { newest.load(ordering: .acquiring) }

    /// The newest message that was taken; nil if none was.
    var last: Delivered? { state.withLock { $0.last } }

    var commandCount: Int { commands.load(ordering: .relaxed) }

    /// Why this node cannot go on; nil if it can. It is to be started anew.
    var fault: String? { state.withLock { $0.fault } }

    /// When something was last heard of the stream; nil if nothing ever was.
    var heard: ContinuousClock.Instant? { state.withLock { $0.heard } }

    /// Whether it has had all there was at some time: the newest messages may have been removed.
    var hasAll: Bool { state.withLock { $0.hasAll } }

    /// Nothing is left to send for now.
    func rest() { state.withLock { $0.hasAll = true } }

    func hear() { state.withLock { $0.heard = .now } }

    func fail(_ fault: String) { state.withLock { $0.fault = $0.fault ?? fault } }

    func followObservers(_ follower: @escaping @Sendable (ObserverChange) -> Void) {
        state.withLock { $0.observerFollowers.append(follower) }
    }

    func followDeletions(_ follower: @escaping @Sendable (Topic) -> Void) {
        state.withLock { $0.deletionFollowers.append(follower) }
    }

    /// Whether it is a place that no event ever has.
    func isBetweenMessages(_ position: Position) -> Bool {
        numbering.eventsPerMessage > 1 && position.rawValue.isMultiple(of: numbering.eventsPerMessage)
    }

    /// Carries out a message of the stream. Called by one thread.
    func take(_ bytes: [UInt8], of subject: String, _ delivered: Delivered) {
        let envelope: Envelope
        do throws(Envelope.Refusal) {
            envelope = try Envelope(bytes)
        } catch {
            switch error {
            case .later(let version):
                let message = "is of version \(version), which this node cannot read: it must be a later one."
                return fail("Message \(delivered.sequence) of the stream \(message)")
            case .meaningless: return skip(subject, delivered)
            }
        }
        guard envelope.command.isPossible(at: delivered.sequence) else { return skip(subject, delivered) }
        let own = envelope.node == node ? publisher.take(envelope.number) : nil
        switch envelope.command {
        case .append(let drafts, let condition): append(drafts, if: condition, delivered, own)
        case .recordOutcomes(let outcomes, let term): record(outcomes, in: term, by: envelope.node, delivered, own)
        default:
            // In its turn: what was appended and recorded before it first.
            waitUntilCommitted()
            change(envelope, delivered, own)
        }
        commands.add(1, ordering: .relaxed)
        note(delivered)
    }

    private func note(_ delivered: Delivered) {
        state.withLock { $0.last = delivered }
        newest.store(delivered.sequence, ordering: .releasing)
    }

    /// Passes over what is no command: so does every node.
    private func skip(_ subject: String, _ delivered: Delivered) {
        let count = state.withLock { state in
            state.skipped += 1
            return state.skipped
        }
        // The first of them, and seldom more: whoever writes one may write a million.
        if count & (count - 1) == 0 {
            report(
                """
                Message \(delivered.sequence) of the cluster's stream, on the subject \(subject), was written by no version of \
                this program and is passed over: \(count) since this node started. Who else may write to the servers?
                """
            )
        }
        note(delivered)
    }

    private func append(
        _ drafts: [EventDraft],
        if condition: AppendCondition?,
        _ delivered: Delivered,
        _ own: Publisher.Completion?
    ) {
        handIn()
        let (after, overflow) = Int64(clamping: delivered.sequence).multipliedReportingOverflow(
            by: numbering.eventsPerMessage
        )
        guard !overflow else { return fail("The stream has more messages than positions can tell.") }
        var posted = drafts
        var acknowledge: @Sendable (Result<AppendReceipt, EventLogError>) -> Void = { _ in }
        // As they were handed in here: with the marks of who posted them.
        if case .append(let drafts, let told)? = own { (posted, acknowledge) = (drafts, told) }
        let decision = settlement.withLock { $0.decision(of: delivered.sequence) }
        let isKeyed = numbering.eventsPerMessage > 1 && drafts.contains { $0.idempotencyKey != nil }
        let start = Position(after + (isKeyed ? Placement.keyed : 0))
        let placement = Placement(after: start, time: numbering.time(delivered.time), decision: decision)
        let count = drafts.count
        index.append(posted, if: condition, at: placement) { [self, acknowledge] result in
            switch result {
            case .success(let receipt):
                settlement.withLock { $0.note(receipt, after: start, of: delivered.sequence, drafts: count) }
            case .failure(let error) where error.code.isOfTheCommand:
                settlement.withLock { $0.spend(delivered.sequence, since: delivered.sequence) }
            case .failure(let error): failUnlessOfTheCommand(error)
            }
            waiting.subtract(1, ordering: .acquiringAndReleasing)
            // It was written before this node came to it, and in part: what the rest was is gone.
            if case .success(let receipt) = result, receipt.events.count < count {
                return acknowledge(.failure(.unanswered))
            }
            acknowledge(result)
        }
    }

    /// Records outcomes, which are not waited for: webhooks that keep up have one message of these for few of events.
    private func record(
        _ outcomes: [DeliveryOutcome],
        in term: Int64,
        by other: NodeID,
        _ delivered: Delivered,
        _ own: Publisher.Completion?
    ) {
        let counted = fences.withLock { fences in
            outcomes.filter { fences.admit($0.observer, by: other, term: term) }
        }
        handIn()
        index.recordInTurn(counted) { [self] result in
            if case .failure(let error) = result { failUnlessOfTheCommand(error) }
            waiting.subtract(1, ordering: .acquiringAndReleasing)
            complete(own, result.map(Applied.recorded), delivered)
        }
    }

    /// Counts what is about to be handed to the copy, as soon as not too much waits.
    private func handIn() {
        while waiting.load(ordering: .acquiring) > Self.mostWaiting, fault == nil { Self.rest() }
        waiting.add(1, ordering: .acquiringAndReleasing)
    }

    /// Waits until the copy has what was appended and recorded.
    private func waitUntilCommitted() {
        while waiting.load(ordering: .acquiring) > 0, fault == nil { Self.rest() }
    }

    private func failUnlessOfTheCommand(_ error: EventLogError) {
        if !error.code.isOfTheCommand { fail("This node's copy of the log cannot be written: \(error.message)") }
    }

    private func change(_ envelope: Envelope, _ delivered: Delivered, _ own: Publisher.Completion?) {
        let result = perform(envelope, delivered)
        if case .failure(let error) = result { failUnlessOfTheCommand(error) }
        // Who asked here and was told that it is not known tells nobody either.
        if envelope.node != node || own == nil, case .success(let applied) = result {
            tell(applied, of: envelope.command, delivered)
        }
        complete(own, result, delivered)
    }

    private func complete(
        _ own: Publisher.Completion?,
        _ result: Result<Applied, EventLogError>,
        _ delivered: Delivered
    ) {
        switch own {
        case .change(let complete)?: complete(result)
        case .storing(let complete)?: complete(result.map { _ in .stored(delivered.sequence) })
        case .append?, nil: break
        }
    }

    /// Tells of observers that were changed, and of topics that were deleted, by who has not told of it.
    private func tell(_ applied: Applied, of command: Command, _ delivered: Delivered) {
        if case (.deleted(true), .deleteTopic(let topic)) = (applied, command) {
            for follower in state.withLock({ $0.deletionFollowers }) { follower(topic) }
            return
        }
        let revision = Int64(clamping: delivered.sequence)
        let changes: [ObserverChange] =
            switch (applied, command) {
            case (.saved(let saved), _): [.saved(saved.record)]
            case (.deleted(true), .deleteObserver(let id, _)): [.deleted(id, revision)]
            case (.deletedObservers(let ids), _): ids.map { .deleted($0, revision) }
            case (.count, .redeliver(_, let id, _)): [.redelivered(id)]
            default: []
            }
        guard !changes.isEmpty else { return }
        for follower in state.withLock({ $0.observerFollowers }) { for change in changes { follower(change) } }
    }

    private func perform(_ envelope: Envelope, _ delivered: Delivered) -> Result<Applied, EventLogError> {
        switch envelope.command {
        case .settle(let sequence, let partly):
            settlement.withLock { settlement in
                settlement.settle(through: sequence, partly: partly)
                settlement.replace(.settling, by: delivered.sequence)
            }
            return .success(.nothing)
        case .lease(let leases, let sequence):
            advance(to: delivered.time)
            let before = keeper.newest
            let counts = keeper.take(leases, after: sequence, sequence: delivered.sequence)
            settlement.withLock { $0.spend(counts ? before : delivered.sequence, since: delivered.sequence) }
            return .success(.leased(counts))
        case .takeUp(let parts, let leases):
            let own = fences.withLock { fences in
                fences.take(parts, by: envelope.node, leases: leases, term: Int64(clamping: delivered.sequence))
                return fences.parts(of: node)
            }
            keeper.take(takenUp: own, term: envelope.node == node ? Int64(clamping: delivered.sequence) : nil)
            return .success(.nothing)
        case .probe:
            settlement.withLock { $0.replace(.probe, by: delivered.sequence) }
            return .success(.nothing)
        case .noteRemoval(let topic, _):
            settlement.withLock { $0.replace(.removal(of: topic), by: delivered.sequence) }
            return perform(envelope.command, delivered)
        case .append, .recordOutcomes: return .success(.nothing)
        default: return perform(envelope.command, delivered)
        }
    }

    /// Has what is too old be removed, also where nothing is posted.
    private func advance(to time: Timestamp) {
        let time = numbering.time(time)
        _ = try? Waiting.wait { [index] () async throws(EventLogError) in try await index.advance(to: time) }
    }

    private func perform(_ command: Command, _ delivered: Delivered) -> Result<Applied, EventLogError> {
        Result { () throws(EventLogError) in
            try Waiting.wait { [index] () async throws(EventLogError) in
                try await index.perform(command, delivered)
            }
        }
    }

    private static func rest() {
        _ = Semaphore().wait(atMost: .microseconds(200))
    }
}

extension Command {
    /// Whether what it says of the stream can be: a command knows nothing of what comes after it.
    fileprivate func isPossible(at sequence: UInt64) -> Bool {
        switch self {
        case .settle(let through, _), .lease(_, after: let through): through < sequence
        case .takeUp(_, by: let leases): leases < Int64(clamping: sequence)
        case .noteRemoval(_, through: let position):
            position.rawValue / Replica.eventsPerMessage < Int64(clamping: sequence)
        default: true
        }
    }
}

extension EventLogError.Code {
    /// Whether it says something of the command, which every node finds alike, and not of this node's disk.
    fileprivate var isOfTheCommand: Bool {
        switch self {
        case .limitReached, .idempotencyConflict, .valueChanged, .revisionChanged: true
        default: false
        }
    }
}
