extension MulticastDelegate {
    /// Calls an asynchronous closure on every delegate, each where it wished to be called, and waits for all of them.
    ///
    /// ```swift
    /// await delegates.invoke { await $0.save(document) }
    /// ```
    ///
    /// Delegates are called side by side, so a slow one holds up the return and nobody else; each is kept alive while it is
    /// called. A delegate hears the call in its turn, and has nothing else to do until it returns: what is posted to it
    /// meanwhile is heard afterwards, unless it is to be called `.immediate`. An invocation that is waited for inside such a
    /// call does not wait for other such calls.
    ///
    /// Cancelling the task takes the calls back that have not begun, and cancels those under way, in the cooperative manner
    /// of tasks.
    @_disfavoredOverload  // Else `invoke { $0.changed() }` would be taken for this one wherever it may be awaited.
    public func invoke(_ body: @escaping @Sendable (Delegate) async -> Void) async {
        await invoke(at: nil, body)
    }

    /// - Parameter place: where all are called; `nil` if each is where it wished to be.
    func invoke(at place: Delivery?, _ body: @escaping @Sendable (Delegate) async -> Void) async {
        let calls = table.reachable(under: SoleKey()).compactMap { entry -> AsyncCall? in
            guard let delivery = place ?? entry.position.delivery else { return nil }
            return AsyncCall(in: entry.position.route?.strand, at: delivery) {
                guard !entry.position.end.isSet, let owner = entry.owner, let delegate = owner as? Delegate else {
                    return nil
                }
                return { await body(delegate) }
            }
        }
        await withTaskCancellationHandler {
            for call in calls { await call.finished() }
        } onCancel: {
            for call in calls { call.cancel() }
        }
    }
}
