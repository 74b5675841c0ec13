/// The durable observers in memory, indexed by what they match: always what the table says, seen from inside the
/// transaction that is being written.
struct ObserverRegistry {
    private var observers: [String: RegisteredObserver] = [:]
    private var index = TopicPatternIndex<RegisteredObserver>()

    subscript(id: String) -> RegisteredObserver? { observers[id] }

    /// Adds an observer, in place of the one of that id.
    mutating func insert(_ observer: RegisteredObserver) {
        remove(observer.id)
        observers[observer.id] = observer
        guard observer.receives else { return }
        for pattern in observer.topics { index.insert(observer, for: pattern) }
    }

    mutating func remove(_ id: String) {
        guard let observer = observers.removeValue(forKey: id), observer.receives else { return }
        for pattern in observer.topics { index.remove(observer, for: pattern) }
    }

    /// The ids of those that are registered for exactly this topic or pattern.
    func ids(of pattern: TopicPattern) -> [String] {
        observers.values.filter { $0.topics.contains(pattern) }.map(\.id)
    }

    /// Calls back once for each observer that is to get an event. Events must come in sequence order.
    func forEachRecipient(
        of event: Event,
        _ body: (RegisteredObserver) throws -> Void
    ) rethrows {
        if index.count == 0 { return }
        let seq = event.position.rawValue
        try index.forEachMatch(event.topic) { observer in
            guard observer.lastEvent != seq, observer.wants(type: event.type) else { return }
            observer.lastEvent = seq
            try body(observer)
        }
    }
}
