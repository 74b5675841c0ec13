extension EventLog {
    /// Hands drafts to the log and waits for the commit: all of them are committed, in this order, or none.
    /// - Returns: the events as committed, one for each draft.
    /// - Throws: ``EventLogError`` with code `storage-full`, `limit-reached`, `overloaded`, `closed`,
    ///   `idempotency-conflict`, `value-changed`, `log-corrupt` or `log-failed`.
    @discardableResult
    public func append(
        _ drafts: [EventDraft],
        if condition: AppendCondition? = nil
    ) async throws(EventLogError) -> AppendReceipt {
        let result: Result<AppendReceipt, EventLogError> = await withCheckedContinuation { continuation in
            append(drafts, if: condition) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }
}
