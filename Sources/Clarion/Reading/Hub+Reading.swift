public import Broadcasting
public import EventLog

/// The log as a program reads it.
extension Hub {
    /// The events of topics or patterns, from anywhere in the log and on as they come, each once and in order.
    ///
    /// ```swift
    /// for try await event in try hub.events("orders.*", from: .after(lastSeen)) {
    ///     print(event.id, event.topic)
    /// }
    /// ```
    ///
    /// It reads at the pace of who iterates: one page of the log is in memory, however far behind it is.
    ///
    /// - Parameters:
    ///   - pattern: a topic, such as `orders.created`, or a pattern, such as `orders.*`.
    ///   - more: further ones. They may overlap.
    ///   - start: where to begin; as a rule with what comes next.
    ///   - onGap: is called with history that was to be read and is gone, before the event at which reading goes on.
    /// - Throws: `TopicError` with code `pattern-invalid`.
    public func events(
        _ pattern: String,
        _ more: String...,
        from start: HistoryStart = .latest,
        onGap: (@Sendable (HistoryGap) -> Void)? = nil
    ) throws(TopicError) -> EventSequence {
        events(try TopicPattern.all([pattern] + more), from: start, onGap: onGap)
    }

    /// The events of patterns, from anywhere in the log and on as they come, each once and in order.
    ///
    /// - Parameters:
    ///   - patterns: what to read. They may overlap.
    ///   - start: where to begin; as a rule with what comes next.
    ///   - onGap: is called with history that was to be read and is gone, before the event at which reading goes on.
    public func events(
        _ patterns: [TopicPattern],
        from start: HistoryStart = .latest,
        onGap: (@Sendable (HistoryGap) -> Void)? = nil
    ) -> EventSequence {
        EventSequence { [objects] in
            objects.feed(patterns, from: start, readerType: "EventSequence", onGap: onGap)
        }
    }

    /// A page of history: what there is now, without waiting for more.
    ///
    /// ```swift
    /// let newest = try await hub.history("orders.*", from: .newest(10))
    /// let older = try await hub.history("orders.*", from: .after(id), limit: 100)
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: a topic or a pattern.
    ///   - start: where to begin.
    ///   - limit: the most events, from 1 to 10,000. A page may have fewer although there are more: it ends at 16 MB of
    ///     data, too.
    /// - Returns: the events in order; none if there are none. Go on after the last one.
    /// - Throws: ``HubError`` with code `pattern-invalid`, with `parameter-invalid` if `start` is after an event that this log
    ///   never had, or with the log's code if it cannot be read.
    public func history(
        _ pattern: String,
        from start: HistoryStart = .earliest,
        limit: Int = 1_000
    ) async throws(HubError) -> [Event] {
        try await HubError.passingOn {
            let patterns = [try TopicPattern(pattern)]
            let tail = log.tail
            let begin = try await start.beginning.find(in: log, topics: patterns, types: EventTypes([]))
            // A sequence is told of a gap; a page has no place to say that it is not what was asked for.
            if case .unknown = begin {
                throw HubError(
                    code: "parameter-invalid",
                    message: "\"after\" is not the id of an event of this log. Begin again with another place."
                )
            }
            return try await log.read(
                after: begin.position(tail: tail),
                matching: patterns,
                limit: min(max(limit, 1), 10_000),
                byteLimit: 16 << 20
            ).events
        }
    }

    /// The newest event of a topic: its value.
    ///
    /// - Returns: nil if nothing was posted on it, or all is gone.
    /// - Throws: ``HubError`` with code `topic-invalid`, or with the log's code if it cannot be read.
    public func value(of topic: String) async throws(HubError) -> Event? {
        try await HubError.passingOn { try await log.lastEvent(of: try Topic(topic)) }
    }

    /// Calls a handler for every event of a topic or pattern from a place in the log on, as long as an object lives.
    ///
    /// First comes what there is, then what comes, each event once and in order. Unlike without `from`, the next page is read
    /// when the handler has had the last one: an object that is slow costs one page, and no time of the log's thread.
    ///
    /// - Parameters:
    ///   - pattern: a topic or a pattern.
    ///   - more: further ones, in the same registration. They may overlap.
    ///   - owner: the object, held weakly.
    ///   - start: where to begin: `.after(id)` goes on after what was handled before, also after a restart.
    ///   - deliver: where the handler is called; `.immediate` is a thread of Swift's pool.
    ///   - onGap: is called with history that was to be heard and is gone.
    ///   - handler: gets the object, so that it need not capture it, and the event.
    /// - Throws: `TopicError` with code `pattern-invalid`.
    @_disfavoredOverload
    public func observe<Owner: AnyObject & Sendable>(
        _ pattern: String,
        _ more: String...,
        owner: Owner,
        from start: HistoryStart,
        deliver: Delivery = .immediate,
        onGap: (@Sendable (HistoryGap) -> Void)? = nil,
        _ handler: @escaping @Sendable (Owner, Event) -> Void
    ) throws(TopicError) {
        let patterns = try TopicPattern.all([pattern] + more)
        observe(patterns, owner: owner, from: start, deliver: deliver, onGap: onGap, handler)
    }

    func observe<Owner: AnyObject & Sendable>(
        _ patterns: [TopicPattern],
        owner: Owner,
        from start: HistoryStart,
        deliver: Delivery,
        onGap: (@Sendable (HistoryGap) -> Void)?,
        _ handler: @escaping @Sendable (Owner, Event) -> Void
    ) {
        let pages = objects.add(owner, topics: patterns, from: start, deliver: deliver, onGap: onGap, handler: handler)
        work.start { [logger] in
            do throws(HubError) {
                try await pages()
            } catch {
                logger.error("an object hears nothing more: the log cannot be read", metadata: ["error": "\(error)"])
            }
        }
    }
}
