import EventLog
import Locking

/// Carrying out commands that are neither events nor outcomes, one by one.
extension Replica {
    func change(_ envelope: Envelope, _ delivered: Delivered, _ own: Publisher.Completion?) {
        let result = perform(envelope, delivered)
        if case .failure(let error) = result { failUnlessOfTheCommand(error) }
        if case .success(let applied) = result {
            notePassedOver(envelope.command, applied)
            // Who asked here and was told that it is not known tells nobody either.
            tell(applied, of: envelope.command, delivered, isOwn: envelope.node == node && own != nil)
        }
        complete(own, result, delivered)
    }

    func complete(
        _ own: Publisher.Completion?,
        _ result: Result<Applied, EventLogError>,
        _ delivered: Delivered
    ) {
        let result = result.mapError(\.ofWhatIsInTheStream)
        switch own {
        case .change(let complete)?: complete(result)
        case .storing(let complete)?: complete(result.map { _ in delivered.sequence })
        case .append?, nil: break
        }
    }

    /// Tells of observers that were changed, and of topics that were deleted, by who has not told of it.
    ///
    /// - Parameter isOwn: whether who asked for it knows. Of observers that are deleted all are told, in turn with the rest: what
    ///   another node did to one just before may not have been taken in yet.
    private func tell(_ applied: Applied, of command: Command, _ delivered: Delivered, isOwn: Bool) {
        if case (.deleted(true), .deleteTopic(let topic, _)) = (applied, command) {
            if isOwn { return }
            for follower in state.withLock({ $0.deletionFollowers }) { follower(topic) }
            return
        }
        let revision = Int64(clamping: delivered.sequence)
        let changes: [ObserverChange] =
            switch (applied, command) {
            case (.deleted(true), .deleteObserver(let id, _)): [.deleted(id, revision)]
            case (.deletedObservers(let ids), _): ids.map { .deleted($0, revision) }
            case (.saved(let saved), _) where !isOwn: [.saved(saved.record)]
            case (.count, .redeliver(_, let id, _, _)) where !isOwn: [.redelivered(id)]
            default: []
            }
        guard !changes.isEmpty else { return }
        for follower in state.withLock({ $0.observerFollowers }) { for change in changes { follower(change) } }
    }

    private func perform(_ envelope: Envelope, _ delivered: Delivered) -> Result<Applied, EventLogError> {
        switch envelope.command {
        case .settle(let sequence, let partly, let unnoted):
            settlement.withLock { settlement in
                settlement.settle(through: sequence, partly: partly)
                if sequence == settlement.through {
                    settlement.replace(.settling, by: delivered.sequence)
                } else {
                    // Held up on its way: who starts later is to read the newer one.
                    settlement.spend(delivered.sequence, since: delivered.sequence)
                }
                settlement.dropNotes(through: unnoted, since: delivered.sequence)
            }
            // Who has seen all removals knows better.
            guard unnoted > .start, state.withLock({ $0.hasMissed }) else { return .success(.nothing) }
            state.withLock { $0.hasMissed = false }
            return perform(envelope.command, delivered)
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
        case .noteRemoval(let topic, let position):
            settlement.withLock { $0.note(removalOf: topic, through: position, by: delivered.sequence) }
            guard let position = unseen(through: position) else { return .success(.nothing) }
            return perform(.noteRemoval(of: topic, through: position), delivered)
        case .setRetention(_, let topic, _):
            let time = numbering.time(delivered.time)
            // What the former bounds have hidden from conditions is gone in each copy, whether its turn had come or not.
            return attempt { [index] () async throws(EventLogError) in try await index.trim(topic, at: time) }
                .flatMap { perform(envelope.command, delivered) }
        case .append, .recordOutcomes: return .success(.nothing)
        default: return perform(envelope.command, delivered)
        }
    }

    /// Up to where this copy goes by what others have removed; nil if it has seen all itself. What came later it removes when it
    /// is its turn, by its own bounds.
    private func unseen(through position: Position) -> Position? {
        let unseen = state.withLock { $0.unseen }
        if unseen == 0 { return nil }
        if position.rawValue / Self.eventsPerMessage <= Int64(clamping: unseen) { return position }
        return Position(Int64(clamping: unseen) * Self.eventsPerMessage + (Self.eventsPerMessage - 1))
    }

    /// Has what is too old be removed, also where nothing is posted.
    private func advance(to time: Timestamp) {
        let time = numbering.time(time)
        _ = try? Waiting.wait { [index] () async throws(EventLogError) in try await index.advance(to: time) }
    }

    private func perform(_ command: Command, _ delivered: Delivered) -> Result<Applied, EventLogError> {
        attempt { [index, end = numbering.end(of: delivered.sequence)] () async throws(EventLogError) in
            try await index.perform(command, delivered, end: end)
        }
    }

    private func attempt<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(EventLogError) -> Value
    ) -> Result<Value, EventLogError> {
        Result { () throws(EventLogError) in try Waiting.wait(body) }
    }
}

extension EventLogError.Code {
    /// Whether it says something of the command, which every node finds alike, and not of this node's disk.
    var isOfTheCommand: Bool {
        switch self {
        case .limitReached, .idempotencyConflict, .valueChanged, .revisionChanged: true
        default: false
        }
    }
}

extension EventLogError {
    /// What whoever asked is told where this copy could not carry out what is in the stream, and other nodes do: not that nothing
    /// was stored.
    var ofWhatIsInTheStream: EventLogError { code.isOfTheCommand ? self : .unanswered }
}
