extension ClarionClient {
    /// Events as they come: see `events(matching:since:types:noticing:)`.
    public struct Events: AsyncSequence, Sendable {
        /// What comes.
        public typealias Element = Event
        /// What may go wrong.
        public typealias Failure = ClientError

        let client: ClarionClient
        let wish: StreamWish
        let notice: @Sendable (Notice) -> Void

        /// One stream; it ends with the iterator.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(stream: ResumingStream(client, wish, notice))
        }

        /// Asks the hub when the first event is asked for.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let stream: ResumingStream

            /// The next event; nil when the hub has unregistered the stream, or the task was cancelled.
            ///
            /// - Throws: ``ClientError`` if the hub cannot be reached the first time, refuses the stream, or sends an event
            ///   that cannot be read when it comes for the third time: the error's detail names it.
            public mutating func next() async throws(ClientError) -> Event? {
                try await stream.next()
            }
        }
    }

    /// What happens to a stream beside events.
    public enum Notice: Hashable, Sendable {
        /// It was opened, for the first time or again.
        case connected
        /// Its connection ended, and is opened again after a while.
        case disconnected(ClientError?, retry: Duration)
        /// Events are missing before the next one.
        case gap(Gap)
    }

    /// Listens: every event of the topics from a place in the log on, in order, each once.
    ///
    /// The stream goes on by itself where it stood, when the hub is restarted, a proxy answers for it, or the connection
    /// is lost; it waits before as long as the hub wishes (`retry:`), and less than a second only while events come. A reader
    /// that takes its time makes the hub wait: some 300 KiB are held here, and one event.
    ///
    /// ```swift
    /// for try await event in hub.events(matching: "orders.*", "news", since: .newest(10)) {
    ///     print(event.id, event.topic, event.text ?? "")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - patterns: 1 to 100 topics or patterns.
    ///   - start: where to begin.
    ///   - types: only events of these types; none for all. One with a comma cannot be asked for.
    ///   - notice: hears of lost connections and of gaps, between the events where they belong.
    public func events(
        matching patterns: String...,
        since start: Start = .latest,
        types: [String] = [],
        noticing notice: @escaping @Sendable (Notice) -> Void = { _ in }
    ) -> Events {
        events(matching: patterns, since: start, types: types, noticing: notice)
    }

    /// Listens: see ``events(matching:since:types:noticing:)-(String...,_,_,_)``.
    public func events(
        matching patterns: [String],
        since start: Start = .latest,
        types: [String] = [],
        noticing notice: @escaping @Sendable (Notice) -> Void = { _ in }
    ) -> Events {
        Events(client: self, wish: StreamWish(patterns: patterns, start: start, types: types), notice: notice)
    }
}

/// What a stream is to carry.
struct StreamWish: Sendable {
    let patterns: [String]
    let start: ClarionClient.Start
    let types: [String]
}
