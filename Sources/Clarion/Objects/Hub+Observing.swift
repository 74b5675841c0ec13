public import Broadcasting
public import EventLog

/// Objects of the process as observers of topics.
///
/// ```swift
/// final class OrderCounter: LifetimeOwner, Sendable {
///     let lifetime = Lifetime()
///     let count = Atomic(0)
///
///     init(hub: Hub) throws {
///         try hub.observe("orders.*", owner: self, deliver: .background) { me, _ in me.count.add(1, ordering: .relaxed) }
///     }
/// }
/// ```
///
/// The hub holds nobody who observes: an object's registrations end when it is released. If it is a ``LifetimeOwner``
/// that happens at once; otherwise it is not called any more, not listed any more, and its entries are swept later.
///
/// What holds for all of them:
/// - Events come as the log committed them, in sequence order, from the next commit on; each once for each registration,
///   also if several of its patterns match it.
/// - `deliver` says where the handler runs. The default, `.immediate`, is **the log's own thread**, on which everything is
///   committed: such a handler may only enqueue. It must not block, and above all not wait for a post.
/// - Handlers get the object as a parameter. One that captures the hub strongly keeps it alive as long as the
///   registration: capture it weakly.
/// - They are observers like any others: `GET /observers?kind=object` lists them, and whoever may manage observers may
///   unregister them over HTTP.
/// - All of this may be called from any thread, and from inside a handler; once the hub has shut down, it does nothing.
extension Hub {
    /// Calls a handler for every event of a topic or pattern, or of several, as long as an object lives, which is not kept
    /// alive by it.
    ///
    /// An object may observe many times; each is a registration of its own.
    ///
    /// - Parameters:
    ///   - pattern: a topic, such as `orders.created`, or a pattern, such as `orders.*`.
    ///   - more: further ones, in the same registration. They may overlap.
    ///   - owner: the object, held weakly.
    ///   - deliver: where the handler is called. `.immediate` is the log's thread: the handler may only enqueue.
    ///   - handler: gets the object, so that it need not capture it, and the event.
    /// - Throws: `TopicError` with code `pattern-invalid`.
    @_disfavoredOverload
    public func observe<Owner: AnyObject & Sendable>(
        _ pattern: String,
        _ more: String...,
        owner: Owner,
        deliver: Delivery = .immediate,
        _ handler: @escaping @Sendable (Owner, Event) -> Void
    ) throws(TopicError) {
        observe(try TopicPattern.all([pattern] + more), owner: owner, deliver: deliver, handler)
    }

    /// Calls a handler for every event of a pattern as long as an object lives, which is not kept alive by it.
    ///
    /// - Parameters:
    ///   - pattern: what to observe.
    ///   - owner: the object, held weakly.
    ///   - deliver: where the handler is called. `.immediate` is the log's thread: the handler may only enqueue.
    ///   - handler: gets the object, so that it need not capture it, and the event.
    @_disfavoredOverload
    public func observe<Owner: AnyObject & Sendable>(
        _ pattern: TopicPattern,
        owner: Owner,
        deliver: Delivery = .immediate,
        _ handler: @escaping @Sendable (Owner, Event) -> Void
    ) {
        observe([pattern], owner: owner, deliver: deliver, handler)
    }

    /// Calls a handler for every event that any of the patterns matches, each once, as long as an object lives.
    ///
    /// - Parameters:
    ///   - patterns: what to observe, in one registration. They may overlap. With none, nothing is heard.
    ///   - owner: the object, held weakly.
    ///   - deliver: where the handler is called. `.immediate` is the log's thread: the handler may only enqueue.
    ///   - handler: gets the object, so that it need not capture it, and the event.
    @_disfavoredOverload
    public func observe<Owner: AnyObject & Sendable>(
        _ patterns: [TopicPattern],
        owner: Owner,
        deliver: Delivery = .immediate,
        _ handler: @escaping @Sendable (Owner, Event) -> Void
    ) {
        objects.add(owner, topics: patterns, deliver: deliver, handler: handler)
    }

    /// Calls a handler for every event of a topic or pattern, or of several, until the token is cancelled or released.
    ///
    /// ```swift
    /// let token = try hub.observe("orders.*", deliver: .main) { event in print(event.topic) }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: a topic or a pattern.
    ///   - more: further ones, in the same registration. They may overlap.
    ///   - deliver: where the handler is called. `.immediate` is the log's thread: the handler may only enqueue.
    ///   - handler: gets the event.
    /// - Throws: `TopicError` with code `pattern-invalid`.
    @_disfavoredOverload
    public func observe(
        _ pattern: String,
        _ more: String...,
        deliver: Delivery = .immediate,
        _ handler: @escaping @Sendable (Event) -> Void
    ) throws(TopicError) -> ObservationToken {
        observe(try TopicPattern.all([pattern] + more), deliver: deliver, handler)
    }

    /// Calls a handler for every event of a pattern until the token is cancelled or released.
    ///
    /// - Parameters:
    ///   - pattern: what to observe.
    ///   - deliver: where the handler is called. `.immediate` is the log's thread: the handler may only enqueue.
    ///   - handler: gets the event.
    @_disfavoredOverload
    public func observe(
        _ pattern: TopicPattern,
        deliver: Delivery = .immediate,
        _ handler: @escaping @Sendable (Event) -> Void
    ) -> ObservationToken {
        observe([pattern], deliver: deliver, handler)
    }

    /// Calls a handler for every event that any of the patterns matches, each once, until the token is cancelled or
    /// released.
    ///
    /// - Parameters:
    ///   - patterns: what to observe, in one registration. They may overlap. With none, nothing is heard.
    ///   - deliver: where the handler is called. `.immediate` is the log's thread: the handler may only enqueue.
    ///   - handler: gets the event.
    @_disfavoredOverload
    public func observe(
        _ patterns: [TopicPattern],
        deliver: Delivery = .immediate,
        _ handler: @escaping @Sendable (Event) -> Void
    ) -> ObservationToken {
        objects.add(topics: patterns, deliver: deliver, handler: handler)
    }

    /// Ends all registrations of an object.
    ///
    /// When this returns it hears nothing more, not even of what was handed to its executor before; only a call that is
    /// under way on another thread goes on to its end. May be called from the object's `deinit`.
    public func removeObserver(_ owner: AnyObject) {
        objects.removeAll(ownedBy: owner)
    }
}
