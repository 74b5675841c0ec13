extension MulticastDelegate {
    /// Calls a closure of the main actor on every delegate, in order of addition.
    ///
    /// For protocols that belong to the main actor: the closure may use what does.
    ///
    /// ```swift
    /// @MainActor protocol PageDelegate: AnyObject, Sendable { func pageDidChange() }
    ///
    /// delegates.invoke(onMain: { $0.pageDidChange() })
    /// ```
    ///
    /// All are called on the main actor, also those that wished to be called elsewhere; each in its order among what it
    /// hears otherwise. Those with `.immediate` delivery are called before this returns if the caller belongs to the main
    /// actor and no call waits for them, and like the others if not.
    ///
    /// - Parameters:
    ///   - isolation: the actor of the caller. Leave it out.
    ///   - body: gets each delegate, on the main actor.
    public func invoke(
        isolation: isolated (any Actor)? = #isolation,
        onMain body: @escaping @MainActor @Sendable (Delegate) -> Void
    ) {
        table.notifyOnMain(SoleKey(), SubjectCall(MainDelivery.main.isolating(body)), isThere: isolation.isMain)
    }

    /// Calls an asynchronous closure of the main actor on every delegate, and waits for all of them; see ``invoke(_:)-9gbsg``.
    ///
    /// ```swift
    /// await delegates.invoke(onMain: { await $0.pageWillClose() })
    /// ```
    @_disfavoredOverload  // As the form for any actor.
    public func invoke(
        isolation: isolated (any Actor)? = #isolation,
        onMain body: @escaping @MainActor @Sendable (Delegate) async -> Void
    ) async {
        await invoke(at: .main) { await body($0) }
    }
}
