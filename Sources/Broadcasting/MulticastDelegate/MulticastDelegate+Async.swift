extension MulticastDelegate {
    /// Calls an asynchronous closure on every delegate, each where it wished to be called, and waits for all of them.
    ///
    /// ```swift
    /// await delegates.invoke { await $0.save(document) }
    /// ```
    ///
    /// Delegates are called side by side, so a slow one holds up the return and nobody else; they are kept alive until
    /// their call ends. The next invocation that waits for this one finds every delegate through with it. Cancelling the
    /// task cancels the calls under way, in the cooperative manner of tasks. A delegate hears it after the invocations
    /// before it, also after those that nobody waits for.
    ///
    /// What runs on a queue or an actor is the closure between its suspensions: other calls may come in between.
    @_disfavoredOverload  // Else `invoke { $0.changed() }` would be taken for this one wherever it may be awaited.
    public func invoke(_ body: @escaping @Sendable (Delegate) async -> Void) async {
        await withDiscardingTaskGroup { group in
            for delegate in table.reachable(under: SoleKey(), as: Delegate.self) {
                group.addTask {
                    await self.earlierCalls(of: delegate.registration)
                    await delegate.delivery.perform { await body(delegate.owner) }
                }
            }
        }
    }

    /// Waits until the calls that were posted to a delegate before have run.
    private func earlierCalls(of registration: Registration<SoleKey>) async {
        await withCheckedContinuation { continuation in
            // Released after its turn in the lane, or without one if the registration has ended meanwhile.
            let turn = DeinitHook { continuation.resume() }
            table.notify(registration, Call<Delegate> { _ in withExtendedLifetime(turn) {} })
        }
    }
}
