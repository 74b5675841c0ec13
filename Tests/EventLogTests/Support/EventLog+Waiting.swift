import EventLog

extension EventLog {
    /// Hands drafts to the log without a condition.
    func append(
        _ drafts: [EventDraft],
        acknowledge: @escaping @Sendable (Result<AppendReceipt, EventLogError>) -> Void
    ) {
        append(drafts, if: nil, acknowledge: acknowledge)
    }

    /// Hands drafts to the log and waits for the commit.
    /// - Returns: the events as committed, one for each draft.
    @discardableResult
    func append(_ drafts: [EventDraft]) async throws(EventLogError) -> [Event] {
        try await append(drafts, if: nil).events
    }
}

extension DeliveryLog {
    /// Records how attempts went, and waits until that is done.
    @discardableResult
    func recordOutcomes(_ outcomes: [DeliveryOutcome]) async throws(EventLogError) -> [ObserverID: Duration] {
        let result = await withCheckedContinuation { continuation in
            recordOutcomes(outcomes) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }
}

extension ObserverStore {
    /// Creates an observer or replaces the one of that id, whose attempts go on failing if they do.
    func saveObserver(_ record: ObserverRecord, expecting: Int64?) async throws(EventLogError) -> SavedObserver {
        try await saveObserver(record, expecting: expecting, resettingFailures: false)
    }
}
