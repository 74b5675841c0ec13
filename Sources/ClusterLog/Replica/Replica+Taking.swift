import EventLog
import Locking
import Synchronization

/// Taking messages of the stream, and handing events and outcomes to the copy, which commits them together.
extension Replica {
    /// Carries out a message of the stream. Called by one thread.
    func take(_ bytes: [UInt8], of subject: String, _ delivered: Delivered) {
        publisher.room.withLock { $0.take(bytes.count + subject.utf8.count, at: delivered.sequence) }
        if delivered.sequence > taken + 1 {
            state.withLock { state in
                state.hasMissed = true
                state.unseen = max(state.unseen, delivered.sequence - 1)
            }
        }
        if takeReserve(bytes, of: subject, delivered) { return note(delivered) }
        let envelope: Envelope
        do throws(Envelope.Refusal) {
            envelope = try Envelope(bytes)
        } catch {
            switch error {
            case .later(let version): return fail(Self.fault(of: delivered, in: version))
            case .meaningless: return skip(subject, delivered)
            }
        }
        guard envelope.command.isPossible(at: delivered.sequence) else { return skip(subject, delivered) }
        let own = envelope.node == node ? publisher.takeBack(envelope.number) : nil
        switch envelope.command {
        case .append(let drafts, let condition, let used):
            append(drafts, if: condition, beside: used, delivered, own)
        case .recordOutcomes(let outcomes, let term): record(outcomes, in: term, by: envelope.node, delivered, own)
        default:
            // In its turn: what was appended and recorded before it first.
            waitUntilCommitted()
            change(envelope, delivered, own)
        }
        commands.add(1, ordering: .relaxed)
        note(delivered)
    }

    /// Why this node cannot go on where a message is of a later version.
    static func fault(of message: Delivered, in version: UInt8) -> String {
        let reason = "is of version \(version), which this node cannot read: it must be a later one."
        return "Message \(message.sequence) of the stream \(reason)"
    }

    private func note(_ delivered: Delivered) {
        doubts.withLock { $0.take(delivered, at: .now) }
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
        beside used: [UsedKey]?,
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
        let settled = settlement.withLock { $0.decision(of: delivered.sequence) }
        let decision = settled ?? used.map { .whole(beside: $0) } ?? .open
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
            if case .success(let receipt) = result, receipt.events.count < count, !receipt.isReplay {
                return acknowledge(.failure(.unanswered))
            }
            acknowledge(result.mapError(\.ofWhatIsInTheStream))
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
        passedOver.withLock { $0.settle(counted) }
        handIn()
        index.record(counted, hasLowPriority: false) { [self] result in
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

    func failUnlessOfTheCommand(_ error: EventLogError) {
        if !error.code.isOfTheCommand { fail("This node's copy of the log cannot be written: \(error.message)") }
    }

    private static func rest() {
        _ = Semaphore().wait(atMost: .microseconds(200))
    }
}

extension Command {
    /// Whether what it says of the stream can be: a command knows nothing of what comes after it.
    fileprivate func isPossible(at sequence: UInt64) -> Bool {
        switch self {
        case .settle(let through, _, let unnoted): through < sequence && unnoted.isPossible(at: sequence)
        case .lease(_, after: let through): through < sequence
        case .takeUp(_, by: let leases): leases < Int64(clamping: sequence)
        case .deleteTopic(_, through: let position?): position.isPossible(at: sequence)
        case .noteRemoval(_, through: let position): position.isPossible(at: sequence)
        default: true
        }
    }
}

extension Position {
    fileprivate func isPossible(at sequence: UInt64) -> Bool {
        rawValue / Replica.eventsPerMessage < Int64(clamping: sequence)
    }
}
