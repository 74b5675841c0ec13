extension ObservableValue {
    /// Calls a handler on the main actor for every setting as long as an object lives, which is not kept alive by it.
    ///
    /// ```swift
    /// title.observe(label, initial: true, deliver: .main) { label, text in label.text = text }
    /// ```
    ///
    /// - Parameters:
    ///   - owner: an object, held weakly.
    ///   - initial: whether the handler is called for the current value first.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see ``Delivery/main``.
    ///   - handler: gets the owner as a parameter, so that it need not capture it.
    public func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        initial: Bool = false,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Owner, Value) -> Void
    ) {
        observe(owner, initial: initial, deliver: deliver.delivery, deliver.isolating(handler))
    }

    /// Calls a handler on the main actor for every setting until ``removeObserver(forKey:)``. One handler for each key: the next
    /// replaces it.
    ///
    /// - Parameters:
    ///   - key: a name for the handler, by which it is replaced and removed.
    ///   - initial: whether the handler is called for the current value first.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see ``Delivery/main``.
    ///   - handler: gets the value.
    public func observe(
        forKey key: String,
        initial: Bool = false,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Value) -> Void
    ) {
        observe(forKey: key, initial: initial, deliver: deliver.delivery, deliver.isolating(handler))
    }

    /// Calls a handler on the main actor for every setting until the token is cancelled or released.
    ///
    /// - Parameters:
    ///   - initial: whether the handler is called for the current value first.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see ``Delivery/main``.
    ///   - handler: gets the value.
    public func observe(
        initial: Bool = false,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Value) -> Void
    ) -> ObservationToken {
        observe(initial: initial, deliver: deliver.delivery, deliver.isolating(handler))
    }
}

extension ObservableValue where Value: Equatable {
    /// Calls a handler on the main actor for settings as long as an object lives, which is not kept alive by it.
    ///
    /// - Parameters:
    ///   - owner: an object, held weakly.
    ///   - initial: whether the handler is called for the current value first.
    ///   - distinct: whether settings to a value equal to the one before are silenced.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see ``Delivery/main``.
    ///   - handler: gets the owner as a parameter, so that it need not capture it.
    public func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        initial: Bool = false,
        distinct: Bool,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Owner, Value) -> Void
    ) {
        observe(owner, initial: initial, distinct: distinct, deliver: deliver.delivery, deliver.isolating(handler))
    }

    /// Calls a handler on the main actor for settings until ``removeObserver(forKey:)``. One handler for each key: the next
    /// replaces it.
    ///
    /// - Parameters:
    ///   - key: a name for the handler, by which it is replaced and removed.
    ///   - initial: whether the handler is called for the current value first.
    ///   - distinct: whether settings to a value equal to the one before are silenced.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see ``Delivery/main``.
    ///   - handler: gets the value.
    public func observe(
        forKey key: String,
        initial: Bool = false,
        distinct: Bool,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Value) -> Void
    ) {
        observe(
            forKey: key,
            initial: initial,
            distinct: distinct,
            deliver: deliver.delivery,
            deliver.isolating(handler)
        )
    }

    /// Calls a handler on the main actor for settings until the token is cancelled or released.
    ///
    /// - Parameters:
    ///   - initial: whether the handler is called for the current value first.
    ///   - distinct: whether settings to a value equal to the one before are silenced.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see ``Delivery/main``.
    ///   - handler: gets the value.
    public func observe(
        initial: Bool = false,
        distinct: Bool,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Value) -> Void
    ) -> ObservationToken {
        observe(initial: initial, distinct: distinct, deliver: deliver.delivery, deliver.isolating(handler))
    }
}
