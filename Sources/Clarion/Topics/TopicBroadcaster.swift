import Locking
import Broadcasting
import EventLog
import MicroHTTP

/// Notifies observers of committed events: `Broadcasting`'s table of weakly held observers, keyed by feed, and an index
/// that finds the feeds in use that match a topic.
final class TopicBroadcaster: Sendable {
    private let table = ObserverTable<FeedsInUse.Member, EventFrames>()
    private let feeds = Lock(FeedsInUse())
    private let memory: ReaderMemory?

    /// Data beyond which a run is split, in bytes: what waits for a slow client is one run at least.
    private static let runBytes = 256 * 1024

    /// - Parameter memory: the budget in which what is encoded counts.
    init(memory: ReaderMemory? = nil) {
        self.memory = memory
    }

    /// Registers an observer under its patterns, to be called on the thread that commits.
    func register<Observer: HubObserver>(
        _ observer: Observer,
        format: EventEnvelope,
        receive: @escaping @Sendable (Observer, EventFrames) -> Void
    ) -> TopicRegistration {
        register(observer, for: observer.topics, format: format, receive: receive)
    }

    /// Registers any object under patterns. The registration ends when it is released: the object keeps it.
    func register<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        for patterns: [TopicPattern],
        format: EventEnvelope,
        deliver: Delivery = .immediate,
        receive: @escaping @Sendable (Observer, EventFrames) -> Void
    ) -> TopicRegistration {
        let feed = Feed(patterns: Set(patterns), format: format)
        let member = feeds.withLock { $0.retain(feed) }
        let registration = table.register(member, owner: observer, deliver: deliver, handler: receive)
        return TopicRegistration(token: table.token(for: registration)) { [weak self] in
            self?.feeds.withLock { $0.release(feed) }
        }
    }

    /// Notifies observers of a commit, in sequence order, on the thread that commits. Consecutive events of one topic go as one
    /// run, unless they are large.
    func notify(_ commit: Commit) {
        var rest = commit.events[...]
        while let topic = rest.first?.topic {
            var bytes = 0
            let run = rest.prefix { event in
                let isFirst = bytes == 0
                bytes += event.cost
                return event.topic == topic && (isFirst || bytes <= Self.runBytes)
            }
            rest = rest.dropFirst(run.count)
            var encoded: [EventEnvelope: EventFrames] = [:]
            for feed in feeds.withLock({ $0.matching(topic) }) {
                let frames = encoded[feed.format] ?? EventFrames(run, format: feed.format, in: memory)
                encoded[feed.format] = frames
                table.notify(feed, frames)
            }
        }
    }
}

/// The registration of an observer under all its patterns; it ends when it is released.
final class TopicRegistration: Sendable {
    private let token: ObservationToken
    private let release: @Sendable () -> Void

    init(token: ObservationToken, release: @escaping @Sendable () -> Void) {
        self.token = token
        self.release = release
    }

    deinit {
        token.cancel()
        release()
    }
}
