public import EventLog

/// The events of patterns, from anywhere in the log and on as they come: see `Hub.events(_:from:)`.
///
/// Each iterator is an observer of its own, which `GET /observers` lists and whoever may manage it can end. It goes when it is
/// released or its task cancelled. Ends with the hub, too.
public struct EventSequence: AsyncSequence, Sendable {
    /// What it gives.
    public typealias Element = Event
    /// What it may end with.
    public typealias Failure = HubError

    let makeFeed: @Sendable () -> EventFeed

    /// Begins to read: an observer is registered.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: EventFeed.Reader(makeFeed()))
    }

    /// Reads one page at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: EventFeed.Reader
        private var page: ArraySlice<Event> = []

        fileprivate init(reader: EventFeed.Reader) {
            self.reader = reader
        }

        /// The next event: waits until there is one.
        ///
        /// - Returns: nil when the hub shuts down, the observer is unregistered, or the task is cancelled.
        /// - Throws: ``HubError`` with the log's code if it cannot be read.
        public mutating func next() async throws(HubError) -> Event? {
            try await next(isolation: nil)
        }

        /// The same, for a caller on an actor.
        public mutating func next(isolation: isolated (any Actor)?) async throws(HubError) -> Event? {
            if page.isEmpty {
                guard let next = try await reader.feed.nextPage() else { return nil }
                page = next[...]
            }
            return page.popFirst()
        }
    }
}
