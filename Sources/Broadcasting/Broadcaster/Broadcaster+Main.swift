extension Broadcaster {
    /// Calls a closure of the main actor on every observer of a protocol, in order of registration.
    ///
    /// For protocols that belong to the main actor: the closure may use what does.
    ///
    /// ```swift
    /// @MainActor protocol Refreshing: AnyObject, Sendable { func refresh() }
    ///
    /// Broadcaster.shared.notify(onMain: (any Refreshing).self) { $0.refresh() }
    /// ```
    ///
    /// All are called on the main actor, also those that registered for another place; each in its order among what it hears
    /// otherwise. Those with `.immediate` delivery are called before this returns if the caller belongs to the main actor
    /// and no call waits for them, and like the others if not.
    ///
    /// - Parameters:
    ///   - subject: the protocol.
    ///   - isolation: the actor of the caller. Leave it out.
    ///   - body: gets each observer, on the main actor.
    public func notify<Subject: Sendable>(
        onMain subject: Subject.Type,
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @MainActor @Sendable (Subject) -> Void
    ) {
        table.notifyOnMain(
            key(of: Subject.self),
            SubjectCall(MainDelivery.main.isolating(body)),
            isThere: isolation.isMain
        )
    }

    /// The same, with the label at the closure.
    ///
    /// ```swift
    /// Broadcaster.shared.notify((any Refreshing).self, onMain: { $0.refresh() })
    /// ```
    public func notify<Subject: Sendable>(
        _ subject: Subject.Type,
        isolation: isolated (any Actor)? = #isolation,
        onMain body: @escaping @MainActor @Sendable (Subject) -> Void
    ) {
        notify(onMain: subject, isolation: isolation, body)
    }
}
