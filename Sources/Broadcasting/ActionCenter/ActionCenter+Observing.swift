extension ActionCenter {
    /// Calls a block on the main actor for every send of an action, as long as the observer lives.
    ///
    /// ```swift
    /// ActionCenter.shared.on(AppAction.colorChanged, observer: self) { me, payload in me.apply(payload) }
    /// ```
    ///
    /// - Parameters:
    ///   - action: what to hear of.
    ///   - observer: an object, held weakly.
    ///   - deliver: where the block is called; on Linux the main actor needs a main loop, see ``Delivery/main``.
    ///   - handler: gets the observer as a parameter, so that it need not capture it.
    public func on<Observer: AnyObject & Sendable>(
        _ action: some Action,
        observer: Observer,
        deliver: MainDelivery = .main,
        _ handler: @escaping @MainActor @Sendable (Observer, Payload) -> Void
    ) {
        on(action, observer: observer, deliver: deliver.delivery, deliver.isolating(handler))
    }

    /// Calls a block on the main actor for every send of a name, as long as the observer lives.
    ///
    /// - Parameters:
    ///   - name: what to hear of; matched exactly.
    ///   - observer: an object, held weakly.
    ///   - deliver: where the block is called; on Linux the main actor needs a main loop, see ``Delivery/main``.
    ///   - handler: gets the observer as a parameter, so that it need not capture it.
    public func on<Observer: AnyObject & Sendable>(
        _ name: String,
        observer: Observer,
        deliver: MainDelivery = .main,
        _ handler: @escaping @MainActor @Sendable (Observer, Payload) -> Void
    ) {
        on(name, observer: observer, deliver: deliver.delivery, deliver.isolating(handler))
    }

    /// Calls a block for every send of an action as long as the observer lives.
    ///
    /// - Parameters:
    ///   - action: what to hear of.
    ///   - observer: an object, held weakly.
    ///   - deliver: where the block is called.
    ///   - handler: gets the observer as a parameter, so that it need not capture it.
    @_disfavoredOverload
    public func on<Observer: AnyObject & Sendable>(
        _ action: some Action,
        observer: Observer,
        deliver: Delivery,
        _ handler: @escaping @Sendable (Observer, Payload) -> Void
    ) {
        let key = actions.list(action, hash: ListedAction.hash(of: action))
        table.register(key, owner: observer, replacing: .sameOwner, deliver: deliver, handler: handler)
    }

    /// Calls a block for every send of a name as long as the observer lives.
    ///
    /// - Parameters:
    ///   - name: what to hear of; matched exactly.
    ///   - observer: an object, held weakly.
    ///   - deliver: where the block is called.
    ///   - handler: gets the observer as a parameter, so that it need not capture it.
    @_disfavoredOverload
    public func on<Observer: AnyObject & Sendable>(
        _ name: String,
        observer: Observer,
        deliver: Delivery,
        _ handler: @escaping @Sendable (Observer, Payload) -> Void
    ) {
        table.register(.name(name), owner: observer, replacing: .sameOwner, deliver: deliver, handler: handler)
    }
}
