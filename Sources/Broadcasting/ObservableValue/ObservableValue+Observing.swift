extension ObservableValue {
    /// Calls a handler for every setting as long as an object lives, which is not kept alive by it.
    ///
    /// An object may have many. They end with it, or by ``removeObserver(_:)``.
    ///
    /// - Parameters:
    ///   - owner: an object, held weakly.
    ///   - initial: whether the handler is called for the current value first: before this returns, if delivery is
    ///     `.immediate` and nothing is being announced.
    ///   - deliver: where the handler is called.
    ///   - handler: gets the owner as a parameter, so that it need not capture it.
    @_disfavoredOverload
    public func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        initial: Bool = false,
        deliver: Delivery = .immediate,
        _ handler: @escaping @Sendable (Owner, Value) -> Void
    ) {
        register(initial: initial) { beginning in
            table.register(SoleKey(), owner: owner, deliver: deliver) { owner, news in
                if beginning.precedes(news) { news.tell { handler(owner, $0) } }
            }
        }
    }

    /// Calls a handler for every setting until ``removeObserver(forKey:)``. One handler for each key: the next replaces it.
    ///
    /// - Parameters:
    ///   - key: any string; it belongs to this variable alone.
    ///   - initial: whether the handler is called for the current value first.
    ///   - deliver: where the handler is called.
    ///   - handler: gets the value that was set. It should not capture the variable, which owns it.
    @_disfavoredOverload
    public func observe(
        forKey key: String,
        initial: Bool = false,
        deliver: Delivery = .immediate,
        _ handler: @escaping @Sendable (Value) -> Void
    ) {
        register(initial: initial) { beginning in
            table.register(SoleKey(), name: key, deliver: deliver) { news in
                if beginning.precedes(news) { news.tell(handler) }
            }
        }
    }

    /// Calls a handler for every setting until the token is cancelled or released.
    ///
    /// - Parameters:
    ///   - initial: whether the handler is called for the current value first.
    ///   - deliver: where the handler is called.
    ///   - handler: gets the value that was set. It should not capture the variable, which owns it.
    @_disfavoredOverload
    public func observe(
        initial: Bool = false,
        deliver: Delivery = .immediate,
        _ handler: @escaping @Sendable (Value) -> Void
    ) -> ObservationToken {
        table.token(
            for: register(initial: initial) { beginning in
                table.register(SoleKey(), deliver: deliver) { news in
                    if beginning.precedes(news) { news.tell(handler) }
                }
            }
        )
    }
}
