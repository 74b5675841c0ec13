public import Broadcasting
public import EventLog

// Written as `deliver: .main` these are chosen: the compiler knows that the handler runs on the main actor.
extension Hub {
    /// Calls a handler on the main actor for every event of a topic or pattern, or of several, as long as an object lives,
    /// which is not kept alive by it.
    ///
    /// ```swift
    /// try hub.observe("orders.*", owner: label, deliver: .main) { label, event in label.text = "\(event.topic)" }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: a topic, such as `orders.created`, or a pattern, such as `orders.*`.
    ///   - more: further ones, in the same registration. They may overlap.
    ///   - owner: the object, held weakly.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see `Delivery.main`.
    ///   - handler: gets the object, so that it need not capture it, and the event.
    /// - Throws: `TopicError` with code `pattern-invalid`.
    public func observe<Owner: AnyObject & Sendable>(
        _ pattern: String,
        _ more: String...,
        owner: Owner,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Owner, Event) -> Void
    ) throws(TopicError) {
        observe(try TopicPattern.all([pattern] + more), owner: owner, deliver: deliver, handler)
    }

    /// Calls a handler on the main actor for every event of a pattern as long as an object lives.
    ///
    /// - Parameters:
    ///   - pattern: what to observe.
    ///   - owner: the object, held weakly.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see `Delivery.main`.
    ///   - handler: gets the object, so that it need not capture it, and the event.
    public func observe<Owner: AnyObject & Sendable>(
        _ pattern: TopicPattern,
        owner: Owner,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Owner, Event) -> Void
    ) {
        observe([pattern], owner: owner, deliver: deliver, handler)
    }

    /// Calls a handler on the main actor for every event that any of the patterns matches, each once, as long as an object
    /// lives.
    ///
    /// - Parameters:
    ///   - patterns: what to observe, in one registration. They may overlap. With none, nothing is heard.
    ///   - owner: the object, held weakly.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see `Delivery.main`.
    ///   - handler: gets the object, so that it need not capture it, and the event.
    public func observe<Owner: AnyObject & Sendable>(
        _ patterns: [TopicPattern],
        owner: Owner,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Owner, Event) -> Void
    ) {
        objects.add(owner, topics: patterns, deliver: .main) { owner, event in
            MainActor.assumeIsolated { handler(owner, event) }
        }
    }

    /// Calls a handler on the main actor for every event of a topic or pattern from a place in the log on, as long as an object
    /// lives.
    ///
    /// - Parameters:
    ///   - pattern: a topic or a pattern.
    ///   - more: further ones, in the same registration. They may overlap.
    ///   - owner: the object, held weakly.
    ///   - start: where to begin.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see `Delivery.main`.
    ///   - onGap: is called with history that was to be heard and is gone, on a thread of Swift's pool.
    ///   - handler: gets the object, so that it need not capture it, and the event.
    /// - Throws: `TopicError` with code `pattern-invalid`.
    public func observe<Owner: AnyObject & Sendable>(
        _ pattern: String,
        _ more: String...,
        owner: Owner,
        from start: HistoryStart,
        deliver: MainDelivery,
        onGap: (@Sendable (HistoryGap) -> Void)? = nil,
        _ handler: @escaping @MainActor @Sendable (Owner, Event) -> Void
    ) throws(TopicError) {
        let patterns = try TopicPattern.all([pattern] + more)
        observe(patterns, owner: owner, from: start, deliver: .main, onGap: onGap) { owner, event in
            MainActor.assumeIsolated { handler(owner, event) }
        }
    }

    /// Calls a handler on the main actor for every event of a topic or pattern, or of several, until the token is cancelled or
    /// released.
    ///
    /// ```swift
    /// let token = try hub.observe("orders.*", deliver: .main) { event in label.text = "\(event.topic)" }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: a topic or a pattern.
    ///   - more: further ones, in the same registration. They may overlap.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see `Delivery.main`.
    ///   - handler: gets the event.
    /// - Throws: `TopicError` with code `pattern-invalid`.
    public func observe(
        _ pattern: String,
        _ more: String...,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Event) -> Void
    ) throws(TopicError) -> ObservationToken {
        observe(try TopicPattern.all([pattern] + more), deliver: deliver, handler)
    }

    /// Calls a handler on the main actor for every event of a pattern until the token is cancelled or released.
    ///
    /// - Parameters:
    ///   - pattern: what to observe.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see `Delivery.main`.
    ///   - handler: gets the event.
    public func observe(
        _ pattern: TopicPattern,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Event) -> Void
    ) -> ObservationToken {
        observe([pattern], deliver: deliver, handler)
    }

    /// Calls a handler on the main actor for every event that any of the patterns matches, each once, until the token is
    /// cancelled or released.
    ///
    /// - Parameters:
    ///   - patterns: what to observe, in one registration. They may overlap. With none, nothing is heard.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see `Delivery.main`.
    ///   - handler: gets the event.
    public func observe(
        _ patterns: [TopicPattern],
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Event) -> Void
    ) -> ObservationToken {
        objects.add(topics: patterns, deliver: .main) { event in MainActor.assumeIsolated { handler(event) } }
    }
}
