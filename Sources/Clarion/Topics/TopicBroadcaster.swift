import Locking
import Broadcasting
import EventLog

/// Tells observers of committed events: `Broadcasting`'s table of weakly held observers, keyed by topic pattern, and
/// an index that finds the patterns in use that match a topic.
final class TopicBroadcaster: Sendable {
    private let table = ObserverTable<TopicPattern, EventFrames>()
    private let patterns = Lock(PatternsInUse())

    /// Registers an observer under patterns. The registrations end when they are released: the observer keeps them.
    ///
    /// An observer whose patterns overlap hears a run once per pattern, and must tell by the position.
    func register<Observer: HubObserver>(
        _ observer: Observer,
        receive: @escaping @Sendable (Observer, EventFrames) -> Void
    ) -> [TopicRegistration] {
        Set(observer.topics).map { pattern in
            patterns.withLock { $0.retain(pattern) }
            let registration = table.register(pattern, owner: observer, handler: receive)
            return TopicRegistration(token: table.token(for: registration)) { [weak self] in
                self?.patterns.withLock { $0.release(pattern) }
            }
        }
    }

    /// Tells of a commit, in sequence order, on the sequencer's thread. Consecutive events of one topic go as one run.
    func notify(_ events: [Event]) {
        var rest = events[...]
        while let topic = rest.first?.topic {
            let run = rest.prefix { $0.topic == topic }
            rest = rest.dropFirst(run.count)
            let matches = patterns.withLock { $0.matching(topic) }
            guard !matches.isEmpty else { continue }
            let frames = EventFrames(run)
            for pattern in matches { table.notify(pattern, frames) }
        }
    }
}

/// One registration of an observer; it ends when it is released.
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
