extension EventLog {
    /// Hands drafts to the log and waits for the commit: all of them are committed, in this order, or none.
    /// - Returns: the events as committed, one for each draft.
    /// - Throws: ``EventLogError`` with code `storage-full`, `overloaded`, `closed`, `log-corrupt` or `log-failed`.
    public func append(_ drafts: [EventDraft]) async throws(EventLogError) -> [Event] {
        let result: Result<[Event], EventLogError> = await withCheckedContinuation { continuation in
            append(drafts) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }
}
